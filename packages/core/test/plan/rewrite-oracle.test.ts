import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVERYTHING, NOTHING } from '../../src/filter/context.ts'
import {
  describePredicate,
  type Predicate,
  type Scalar,
  type Test,
} from '../../src/filter/predicate.ts'
import type { RelationAttribute, StorageAttribute } from '../../src/model/catalog.ts'
import { REWRITE_RULES, rewrite } from '../../src/plan/rewrite.ts'
import { parseWildcard, type Wildcard } from '../../src/value/pattern-list.ts'
import { company, employee } from '../filter/staff-catalog.ts'
import { runs } from '../runs.ts'

interface Person {
  readonly ID: number
  readonly age: number | null
  readonly lastName: string | null
  readonly employer: { readonly ID: number; readonly name: string | null } | null
}

/** Every employee with these few values, nulls and a missing company included. */
const PEOPLE: readonly Person[] = [1, 2].flatMap((ID) =>
  [null, 1, 2, 3].flatMap((age) =>
    [null, 'a', 'b'].flatMap((lastName) =>
      [null, { ID: 7, name: null }, { ID: 8, name: 'x' }].map((employer) => ({
        ID,
        age,
        lastName,
        employer,
      })),
    ),
  ),
)

const UNEMPLOYED = PEOPLE.filter(({ employer }) => employer === null)

/** The result of a predicate by its definition. The only pattern is `a@`. */
function selects(predicate: Predicate, row: object): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.parts.every((part) => selects(part, row))
    case 'or':
      return predicate.parts.some((part) => selects(part, row))
    case 'not':
      return !selects(predicate.part, row)
    case 'compare':
      return passes(
        predicate.test,
        (row as Record<string, Scalar | null>)[predicate.attribute.name],
      )
    case 'related': {
      const related = (row as Record<string, object | null>)[predicate.relation.name]
      return related === null ? predicate.whenMissing : selects(predicate.part, related)
    }
    default:
      throw new Error(`unexpected here: ${predicate.kind}`)
  }
}

function passes(asked: Test, value: Scalar | null): boolean {
  if (asked.op === 'isNull') return value === null
  if (value === null) return false
  switch (asked.op) {
    case 'isNotNull':
      return true
    case 'equal':
      return value === asked.value
    case 'notEqual':
      return value !== asked.value
    case 'greater':
      return value > asked.value
    case 'in':
      return (
        asked.values.includes(value) ||
        (asked.wildcards.length > 0 && String(value).startsWith('a'))
      )
    default:
      throw new Error(`unexpected here: ${asked.op}`)
  }
}

const answers = (predicate: Predicate): readonly boolean[] =>
  PEOPLE.map((person) => selects(predicate, person))

const asked = (values: readonly Scalar[]): fc.Arbitrary<Test> =>
  fc.oneof(
    fc.constantFrom<Test>({ op: 'isNull' }, { op: 'isNotNull' }),
    fc
      .tuple(fc.constantFrom('equal', 'equal', 'notEqual', 'greater'), fc.constantFrom(...values))
      .map(([op, value]) => ({ op, value, spelling: value }) as Test),
    fc
      .subarray([...values])
      .map((some): Test => ({ op: 'in', values: some, wildcards: [], spelling: some })),
  )
const A: Test = {
  op: 'in',
  values: [],
  wildcards: [parseWildcard('a@', 'exact') as Wildcard],
  spelling: ['a@'],
}
const B: Test = { ...A, values: ['b'], spelling: ['b', 'a@'] }
const compare = (
  attribute: string,
  tests: fc.Arbitrary<Test>,
  dataClass = employee,
): fc.Arbitrary<Predicate> =>
  tests.map((one) => ({
    kind: 'compare',
    attribute: dataClass.attributes.get(attribute) as StorageAttribute,
    test: one,
  }))

/** Nodes that are created once, so that a predicate can contain the same one twice. */
const SAME: readonly Predicate[] = fc.sample(compare('age', asked([1, 2, 3])), {
  numRuns: 6,
  seed: 3,
})
const leaves: fc.Arbitrary<Predicate> = fc.oneof(
  fc.constantFrom(EVERYTHING, NOTHING, ...SAME),
  compare('age', asked([1, 2, 3])),
  compare('lastName', fc.oneof(asked(['a', 'b']), fc.constantFrom(A, B))),
  compare('ID', asked([1, 2])),
  fc
    .tuple(
      fc.oneof(compare('name', asked(['x', 'y']), company), fc.constantFrom(EVERYTHING, NOTHING)),
      fc.boolean(),
      fc.boolean(),
    )
    .map(
      ([part, isDenied, whenMissing]): Predicate => ({
        kind: 'related',
        relation: employee.attributes.get('employer') as RelationAttribute,
        part: isDenied ? { kind: 'not', part } : part,
        whenMissing,
        instance: 1,
      }),
    ),
)
const { any: predicates } = fc.letrec<{ any: Predicate }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    { weight: 3, arbitrary: leaves },
    { weight: 2, arbitrary: tie('any').map((part): Predicate => ({ kind: 'not', part })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom('and' as const, 'or' as const),
          fc.array(tie('any'), { maxLength: 4 }),
        )
        .map(([kind, parts]): Predicate => ({ kind, parts })),
    },
  ),
}))

/** The fault of a rewritten predicate; undefined if there is none. */
function leftUndone(predicate: Predicate): string | undefined {
  switch (predicate.kind) {
    case 'compare': {
      const { attribute, test: one } = predicate
      if (attribute.key && (one.op === 'isNull' || one.op === 'isNotNull'))
        return 'a key is asked whether it is null'
      if (one.op === 'in' && one.wildcards.length === 0 && one.values.length < 2)
        return 'a list of one or none'
      return undefined
    }
    case 'not': {
      const { part } = predicate
      if (['not', 'and', 'or', 'constant'].includes(part.kind)) return `not of ${part.kind}`
      if (part.kind === 'compare' && (part.test.op === 'isNull' || part.test.op === 'isNotNull'))
        return 'not of null'
      return leftUndone(part)
    }
    case 'and':
    case 'or': {
      const { kind, parts } = predicate
      if (parts.length < 2) return `${kind} of ${parts.length}`
      if (parts.some((part) => part.kind === kind)) return `${kind} in ${kind}`
      if (parts.some((part) => part.kind === 'constant')) return `a constant in ${kind}`
      const compared = parts.flatMap((part) =>
        part.kind === 'compare' && 'value' in part.test ? [part] : [],
      )
      if (new Set(compared.map(describePredicate)).size < compared.length)
        return 'a comparison twice'
      const equal = compared.flatMap(({ attribute, test: { op } }) =>
        op === 'equal' ? [attribute] : [],
      )
      if (kind === 'or' && new Set(equal).size < equal.length)
        return 'two equalities of one attribute'
      return parts.map(leftUndone).find((found) => found !== undefined)
    }
    case 'related':
      return leftUndone(predicate.part)
    default:
      return undefined
  }
}

const hasNot = (predicate: Predicate): boolean =>
  predicate.kind === 'not' ||
  ('parts' in predicate && predicate.parts.some(hasNot)) ||
  ('part' in predicate && hasNot(predicate.part))

/**
 * Leaves of a few kinds, their negations, every `and` and `or` of two of these, and some of three.
 */
function everySmallOne(): readonly Predicate[] {
  const own = (name: string, asked: Test): Predicate => ({
    kind: 'compare',
    attribute: employee.attributes.get(name) as StorageAttribute,
    test: asked,
  })
  const value = (op: 'equal' | 'greater', value: Scalar): Test => ({ op, value, spelling: value })
  const small: readonly Predicate[] = [
    EVERYTHING,
    NOTHING,
    own('age', value('equal', 1)),
    own('age', value('equal', 1)),
    own('age', value('equal', 2)),
    own('age', value('greater', 1)),
    own('age', { op: 'isNull' }),
    own('age', { op: 'in', values: [2], wildcards: [], spelling: [2] }),
    own('age', { op: 'in', values: [1, 3], wildcards: [], spelling: [1, 3] }),
    own('age', { op: 'in', values: [2, 3], wildcards: [], spelling: [2, 3] }),
    own('lastName', value('equal', 'b')),
    own('lastName', A),
    own('ID', { op: 'isNotNull' }),
  ]
  const few: readonly Predicate[] = [
    ...small.slice(1, 8),
    { kind: 'not', part: own('lastName', A) },
  ]
  const denied = [...small, ...small.map((part): Predicate => ({ kind: 'not', part }))]
  const joined = (['and', 'or'] as const).flatMap((kind) => [
    { kind, parts: [] },
    ...denied.flatMap((a) => [
      { kind, parts: [a] },
      ...denied.map((b) => ({ kind, parts: [a, b] })),
    ]),
    ...few.flatMap((a) => few.flatMap((b) => few.map((c) => ({ kind, parts: [a, b, c] })))),
  ])
  return [...denied, ...joined]
}

describe('a rewritten predicate', () => {
  test('selects the same records and is a fixed point of the rules, for all small predicates', () => {
    const wrong = everySmallOne().filter((predicate) => {
      const rewritten = rewrite(predicate)
      if (leftUndone(rewritten) !== undefined) return true
      return UNEMPLOYED.some((person) => selects(rewritten, person) !== selects(predicate, person))
    })
    expect(wrong.map(describePredicate)).toEqual([])
  })

  test('is rewritten to the same object, for all small predicates without negation', () => {
    const changed = everySmallOne()
      .map(rewrite)
      .filter((rewritten) => !hasNot(rewritten) && rewrite(rewritten) !== rewritten)
    expect(changed.map(describePredicate)).toEqual([])
  })

  test('selects the same employees and is a fixed point of the rules', () => {
    fc.assert(
      fc.property(predicates, (predicate) => {
        const rewritten = rewrite(predicate)
        expect(answers(rewritten), describePredicate(rewritten)).toEqual(answers(predicate))
        expect(leftUndone(rewritten), describePredicate(rewritten)).toBe(undefined)
      }),
      runs(500),
    )
  })

  test('is rewritten to itself, to the same object if it has no negation', () => {
    fc.assert(
      fc.property(predicates, (predicate) => {
        const rewritten = rewrite(predicate)
        expect(rewrite(rewritten)).toEqual(rewritten)
        if (!hasNot(rewritten)) expect(rewrite(rewritten)).toBe(rewritten)
      }),
      runs(250),
    )
  })

  test('shares unchanged parts with the original, which stays unchanged', () => {
    const [one, other] = ['age', 'lastName'].map(
      (name, i): Predicate => ({
        kind: 'compare',
        attribute: employee.attributes.get(name) as StorageAttribute,
        test: { op: 'greater', value: i, spelling: i },
      }),
    )
    const doubled: Predicate = { kind: 'not', part: { kind: 'not', part: other } }
    const given = [one, doubled]
    const rewritten = rewrite({ kind: 'or', parts: given })
    if (rewritten.kind !== 'or') throw new Error('no or')
    expect(rewritten.parts[0]).toBe(one)
    expect(rewritten.parts[1]).toBe(other)
    expect(given).toEqual([one, doubled])
    expect(given[1]).toBe(doubled)
  })
})

test('a comparison of an object is not one of a property of it', () => {
  const notes = employee.attributes.get('notes') as StorageAttribute
  const whole: Predicate = { kind: 'compare', attribute: notes, test: { op: 'isNull' } }
  const match = { kind: 'value', path: ['a'], test: { op: 'isNull' } } as const
  const inside: Predicate = { kind: 'property', attribute: notes, match }
  for (const kind of ['and', 'or'] as const)
    for (const parts of [
      [whole, inside],
      [inside, whole],
    ])
      expect(rewrite({ kind, parts })).toEqual({ kind, parts })
})

test('every rule alone keeps the selected records', () => {
  const rules = new Set([...REWRITE_RULES.and, ...REWRITE_RULES.or, ...REWRITE_RULES.not])
  expect(
    [...new Set([...rules].map(({ name }) => name))].filter((name) => name !== ''),
  ).toHaveLength(rules.size)
  fc.assert(
    fc.property(predicates, (predicate) => {
      const before = answers(predicate)
      for (const rule of rules) expect(answers(rule(predicate)), rule.name).toEqual(before)
    }),
    runs(300),
  )
})
