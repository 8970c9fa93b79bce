import fc from 'fast-check'
import { expect } from 'vitest'
import { filters, orders, queries } from '../filter-arbitraries.ts'
import type { PlainOffice, PlainRecord } from '../oracle/plain-office.ts'
import type { Source, Step } from '../oracle/plain-selection.ts'
import { mustTell, type OfficeStore, plain, rowOf, type Selection } from './office-store.ts'

const sorts = fc.oneof(
  fc.constantFrom('salary', 'name desc', 'level desc, name', 'born, ID desc'),
  orders('Employee'),
)

/** Filters that one index answers, or a posting list, or only a scan. */
const simple = fc
  .tuple(
    fc.constantFrom(
      'salary > 5',
      'salary <= 20',
      'name = a',
      "name begin ''",
      'employerID = 1',
      'level >= 0',
      'active',
      'ID > 2',
      'name != a',
      'salary = null',
      "token = '@'",
    ),
    fc.option(sorts),
  )
  .map(([text, order]) => ({
    text: order === null ? text : `${text} order by ${order}`,
    params: [] as const,
  }))

const { source } = fc.letrec<{ source: Source; step: Step }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant<Source>({ kind: 'all' }) },
    { weight: 4, arbitrary: simple.map((query): Source => ({ kind: 'query', ...query })) },
    {
      weight: 2,
      arbitrary: queries('Employee').map((query): Source => ({ kind: 'query', ...query })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 })
        .map((keys): Source => ({ kind: 'from', keys })),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('step' as const),
        of: tie('source'),
        step: tie('step'),
      }),
    },
  ),
  step: fc.oneof(
    fc.record({ kind: fc.constant('page' as const), skip: fc.nat(5), top: fc.nat(6) }),
    fc.record({
      kind: fc.constant('slice' as const),
      start: fc.integer({ min: -4, max: 4 }),
      end: fc.integer({ min: -4, max: 6 }),
    }),
    sorts.map((text): Step => ({ kind: 'orderBy', text })),
    filters('Employee').map((query): Step => ({ kind: 'query', ...query })),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const, 'except' as const),
      other: tie('source'),
    }),
    fc.constant<Step>({ kind: 'clean' }),
  ),
}))

/**
 * Selections of employees of every kind: ranges, lists, all, scans, ordered ones, pages,
 * combinations.
 */
export const sources: fc.Arbitrary<Source> = source
export const steps: fc.Arbitrary<Step> = source.chain((other) =>
  fc.oneof(
    fc.record({ kind: fc.constant('page' as const), skip: fc.nat(5), top: fc.nat(6) }),
    sorts.map((text): Step => ({ kind: 'orderBy', text })),
    filters('Employee').map((query): Step => ({ kind: 'query', ...query })),
    fc.constantFrom<Step>(
      { kind: 'and', other },
      { kind: 'or', other },
      { kind: 'except', other },
      { kind: 'clean' },
    ),
  ),
)

/**
 * The selection that a store creates for it. Nothing is read: the test decides when to read it
 * first.
 */
export function select(store: Pick<OfficeStore, 'Employee'>, source: Source): Selection {
  switch (source.kind) {
    case 'all':
      return store.Employee.all()
    case 'query':
      return store.Employee.query(source.text, source.params)
    case 'from':
      return store.Employee.from(source.keys)
    case 'step':
      return take(store, select(store, source.of), source.step)
  }
}

/** One more step from a selection. */
export function take(
  store: Pick<OfficeStore, 'Employee'>,
  selection: Selection,
  step: Step,
): Selection {
  switch (step.kind) {
    case 'page':
      return selection.page(step.skip, step.top)
    case 'slice':
      return selection.slice(step.start, step.end)
    case 'orderBy':
      return selection.orderBy(step.text)
    case 'query':
      return selection.query(step.text, step.params)
    case 'clean':
      return selection.clean()
    default:
      return selection[step.kind](select(store, step.other))
  }
}

/**
 * Asserts that a selection holds exactly these members in this order: removed ones are undefined,
 * others have their current values.
 */
export function mustHold(
  selection: Selection,
  office: PlainOffice,
  members: readonly PlainRecord[],
): void {
  const living = members.filter((record) => office.isLiving('Employee', record))
  const keys = living.map(({ row }) => row.ID)
  expect(selection.count).toBe(members.length)
  expect(selection.members().map((entity) => entity?.key)).toEqual(
    members.map((record) => (living.includes(record) ? record.row.ID : undefined)),
  )
  expect(selection.keys()).toEqual(keys)
  expect(selection.toArray().map((entity) => [entity.stamp, plainValues(rowOf(entity))])).toEqual(
    living.map(({ row, stamp }) => [stamp, plainValues(withoutHidden(row))]),
  )
  expect([...selection].map(({ key }) => key)).toEqual(keys)
  expect(selection.first()?.key).toBe(keys[0])
  mustTell(selection)
  for (const { row } of office.living('Employee'))
    expect(selection.has(row.ID as number)).toBe(keys.includes(row.ID))
}

/** An entity does not show a key that is stored under the name of its relation. */
function withoutHidden({ boss: _boss, ...row }: PlainRecord['row']): PlainRecord['row'] {
  return row
}

function plainValues(row: PlainRecord['row']): PlainRecord['row'] {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))
}
