import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { ConditionNode, ConditionTrace, FilterTrace } from '../../src/model/explain-types.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { filters } from '../filter-arbitraries.ts'
import { evaluate, type Params } from '../oracle/evaluate.ts'
import { CLASS_NAMES, type ClassName, type PlainData, type Row, related } from '../oracle/office.ts'
import { patience, runs } from '../runs.ts'
import { officeOf, outcome } from './office-store.ts'

/** Rows of one comparison, by the naive scan. */
function compared(
  data: PlainData,
  node: Extract<ConditionNode, { kind: 'comparison' }>,
): readonly Row[] {
  const { operator, value } = node
  const attribute = OWN_KEYS.get(`${node.dataClass}.${node.attribute}`) ?? node.attribute
  const [text, params]: [string, Params] =
    operator === 'is null'
      ? [`${attribute} = null`, []]
      : operator === 'is not null'
        ? [`${attribute} != null`, []]
        : [`${attribute} ${operator} :1`, [value]]
  return evaluate(data, node.dataClass as ClassName, text, params)
}

/**
 * A foreign key without an attribute has the name of its relation, which has no order, so the key
 * of the target is used.
 */
const OWN_KEYS = new Map([
  ['Employee.boss', 'boss.ID'],
  ['Badge.holder', 'holder.ID'],
])

/** The relation that joins the two sides of a join. */
function relationOf({
  source,
  target,
  leftAttribute,
  rightAttribute,
}: Extract<ConditionNode, { kind: 'join' }>) {
  const name = RELATIONS.get(`${source}.${leftAttribute} ${target}.${rightAttribute}`)
  if (name === undefined)
    throw new Error(`no relation from ${source}.${leftAttribute} to ${target}.${rightAttribute}`)
  return name
}
const RELATIONS = new Map([
  ['Company.ID Employee.employerID', { name: 'employees', isToOne: false }],
  ['Company.ID Badge.issuerID', { name: 'badges', isToOne: false }],
  ['Employee.employerID Company.ID', { name: 'employer', isToOne: true }],
  ['Employee.boss Employee.ID', { name: 'boss', isToOne: true }],
  ['Employee.ID Employee.boss', { name: 'team', isToOne: false }],
  ['Employee.ID Badge.holder', { name: 'badges', isToOne: false }],
  ['Badge.holder Employee.ID', { name: 'holder', isToOne: true }],
  ['Badge.issuerID Company.ID', { name: 'issuer', isToOne: true }],
])

/** Whether a row (null for a missing one) satisfies a condition. */
function holds(
  data: PlainData,
  className: ClassName,
  row: Row | null,
  node: ConditionNode,
): boolean {
  switch (node.kind) {
    // Without parts: "there is one", or a condition that only a missing row satisfies.
    case 'and':
      return node.parts.length === 0
        ? row !== null
        : node.parts.every((part) => holds(data, className, row, part))
    case 'or':
      return node.parts.length === 0
        ? row === null
        : node.parts.some((part) => holds(data, className, row, part))
    case 'not':
      return !holds(data, className, row, node.part)
    case 'comparison':
      return row === null ? node.operator === 'is null' : compared(data, node).includes(row)
    case 'join': {
      const { name, isToOne } = relationOf(node)
      const target = node.target as ClassName
      const rows = related(data, className, row, name)
      // Behind an empty to-one relation every value is missing.
      if (isToOne || row === null) return holds(data, target, rows[0] ?? null, node.part)
      return rows.some((other) => holds(data, target, other, node.part))
    }
  }
}

function mustCount(data: PlainData, className: ClassName, step: ConditionTrace): void {
  const { condition, found, milliseconds, steps } = step
  const expected = data[className].filter((row) => holds(data, className, row, condition)).length
  expect(found, JSON.stringify(condition)).toBe(expected)
  // The clock of these stores advances at every reading.
  expect(milliseconds).toBeGreaterThan(
    steps.reduce((total, inner) => total + inner.milliseconds, 0),
  )
  const parts = 'parts' in condition ? condition.parts : 'part' in condition ? [condition.part] : []
  const ran = steps.map((inner) => inner.condition)
  expect(ran).toEqual(parts.slice(0, ran.length))
  const emptyAt = condition.kind === 'and' ? steps.findIndex((inner) => inner.found === 0) : -1
  expect(ran).toHaveLength(emptyAt < 0 ? parts.length : emptyAt + 1)
  for (const inner of steps)
    mustCount(data, (condition.kind === 'join' ? condition.target : className) as ClassName, inner)
}

test(
  'every count of a trace is that of the naive scan, and an AND stops at a part that finds nothing',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        // Conditions inside collections are about elements, which the naive scan of a single
        // comparison does not distinguish.
        fc.constantFrom(...CLASS_NAMES).chain((className) =>
          fc.tuple(
            fc.constant(className),
            filters(className).filter(({ text }) => !text.includes('[')),
          ),
        ),
        (data, indexes, [className, { text, params }]) => {
          const store = officeOf(data, indexes)
          const rows = outcome(() => evaluate(data, className, text, params))
          const trace = outcome(() =>
            (store.dataClass(className) as unknown as Traced).trace(text, params),
          )
          if (rows === 'refused' || trace === 'refused') expect(trace).toBe(rows)
          else if (trace.root === null) expect(rows).toEqual(data[className])
          else {
            expect(trace.root.found).toBe(rows.length)
            mustCount(data, className, trace.root)
          }
        },
      ),
      runs(300),
    )
  },
)

interface Traced {
  trace(text: string, params?: Params): FilterTrace
}

describe('a trace', () => {
  const Person = defineDataClass('Person', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
    info: attribute.object(),
    friend: attribute.relatedEntity('Person'),
    friends: attribute.relatedEntities('Person', 'friend'),
  })
  function createPeople() {
    let ticks = 10
    const clock = { now: () => 1000, monotonic: () => ++ticks }
    const store = createDataStore({ name: 'people', dataClasses: [Person], clock })
    store.Person.insert({
      name: 'Ann',
      info: {
        list: [
          { k: 1, v: 1 },
          { k: 2, v: 2 },
        ],
      },
    })
    store.Person.insert({ name: 'Bob', info: { list: [{ k: 1, v: 2 }] }, friend: 1 })
    store.Person.insert({ name: 'Cy', info: { list: [] }, friend: 1 })
    store.Person.insert({ name: 'Di' })
    return store
  }
  const foundIn = (step: ConditionTrace | null): unknown =>
    step === null
      ? null
      : step.steps.length === 0
        ? step.found
        : [step.found, ...step.steps.map(foundIn)]

  test.each([
    // Two have an element with k = 1 and two one with v = 2; one has both in one element.
    ['info.list[a].k = 1 and info.list[a].v = 2', [1, 2, 2]],
    ['info.list[].k = 1 and info.list[].v = 2', [2, 2, 2]],
    // Counted over all elements; no other entity has a list.
    ['info.list[].k != 1', [1, 2]],
    ['info.list.length = 1', 1],
    // The friends of Ann, then the entities that have one of them as a friend.
    ['friend.name = Ann', [2, 1]],
    ['friends.name = Bob or name = Di', [2, [1, 1], 1]],
    ['friend.name = null', [2, 0]],
    ['friends != null', [1, 4]],
    ['not(name = Ann)', [3, 1]],
    ['name = Nobody and friend.name = Ann and info.list.length = 1', [0, [2, 1], 0]],
    ['', null],
    ['ID = null', 0],
  ])('%s', (filter, expected) => {
    expect(foundIn(createPeople().Person.trace(filter).root)).toEqual(expected)
  })

  test('counts what the caller may see, on both sides of a join', () => {
    const store = createPeople()
    const seen = store.view({ rows: { Person: "name != 'Ann'" } }).dataClass('Person')
    expect(foundIn(seen.trace('friend.name = Ann').root)).toEqual([0, 0])
    // The counts leave Ann out.
    expect(foundIn(seen.trace('friend.name = null').root)).toEqual([3, 0])
    expect(foundIn(seen.trace('friend = null').root)).toEqual([3, 0])
    expect(foundIn(seen.trace('friend != null').root)).toEqual([0, 3])
    expect(foundIn(seen.trace('not(name = Bob)').root)).toEqual([2, 1])
  })

  test('hides names that the caller may not know', () => {
    const store = createPeople()
    const seen = store.view({ hides: ({ name }) => name === 'friend' }).dataClass('Person')
    expect(() => seen.trace('friend.name = Ann')).toThrow('friend')
    expect(JSON.stringify(seen.trace('friends.name = Bob'))).not.toContain('"friend"')
  })
})
