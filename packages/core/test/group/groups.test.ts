import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { select, sources } from '../engine/office-selections.ts'
import { officeOf, outcome } from '../engine/office-store.ts'
import { copyInto, writeBoth, writes } from '../engine/office-writes.ts'
import { groupRows, type PlainGroup, type PlainGrouping } from '../oracle/groups.ts'
import type { Row } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf } from '../oracle/plain-selection.ts'
import { compareValues } from '../oracle/plain-value.ts'
import { patience, runs } from '../runs.ts'

const NUMBERS = ['level', 'serial', 'salary', 'shift', 'doubled', 'employer.revenue', 'boss.salary']
const OTHERS = ['name', 'code', 'token', 'active', 'born', 'hired', 'label', 'employerName']
const BEHIND = [
  'employer.city',
  'boss.name',
  'boss.born',
  'boss.employer.name',
  'boss.active',
  'boss.label',
]
const SPANS = ['born.day', 'born.week', 'born.month', 'born.quarter', 'born.year', 'hired.month']
const PROPERTIES = ['notes.rank', 'notes.list', 'notes.inner.x', 'boss.notes.rank']

const paths = fc
  .uniqueArray(
    fc.constantFrom(...NUMBERS, ...OTHERS, ...BEHIND, ...SPANS, ...PROPERTIES, 'employerID', 'ID'),
    { minLength: 1, maxLength: 3 },
  )
  // A row has one member per name.
  .filter((list) => !list.some((one) => list.some((other) => other.startsWith(`${one}.`))))

const PLAIN = ['count', 'countDistinct', 'min', 'max'] as const
const ALL = [...PLAIN, 'sum', 'average'] as const
const aggregates = fc
  .uniqueArray(
    fc.oneof(
      fc.tuple(
        fc.constantFrom(...NUMBERS, ...PROPERTIES),
        fc.uniqueArray(fc.constantFrom(...ALL), { minLength: 1 }),
      ),
      fc.tuple(
        fc.constantFrom(...OTHERS, ...BEHIND),
        fc.uniqueArray(fc.constantFrom<(typeof ALL)[number]>(...PLAIN), { minLength: 1 }),
      ),
    ),
    { maxLength: 3, selector: ([path]) => path },
  )
  .map((list): PlainGrouping['aggregates'] => Object.fromEntries(list))

const groupings = fc
  .record({ paths, aggregates })
  .filter(({ paths, aggregates }) => !paths.some((path) => Object.hasOwn(aggregates, path)))

interface Groups extends Iterable<PlainGroup> {
  readonly count: number
  toArray(): readonly PlainGroup[]
  first(): PlainGroup | undefined
  having(text: string, params?: readonly unknown[]): Groups
  orderBy(text: string): Groups
  page(skip: number, top: number): Groups
  explain(): { readonly root: { readonly actualRows: number | null } }
}
const groupsOf = (selection: unknown, { paths, aggregates }: PlainGrouping): Groups =>
  (selection as { groupBy(paths: string, aggregates: object): Groups }).groupBy(paths.join(', '), {
    count: true,
    ...aggregates,
  })

test('groups, values and aggregates equal those of the live members', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      sources,
      fc.array(writes, { maxLength: 3 }),
      groupings,
      (data, indexes, source, writes, grouping) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const members = outcome(() => membersOf(office, source))
        if (members === 'refused') return
        const selection = select(store, source)
        const groups = groupsOf(selection, grouping)
        for (const write of writes) writeBoth(store, office, write)
        const rows = livingRows(office, members)
        const expected = groupRows(office.data, 'Employee', rows, grouping)
        expect(groups.toArray()).toEqual(expected)
        expect([groups.count, groups.first()]).toEqual([expected.length, expected[0]])
        expect(groups.explain().root.actualRows).toBe(expected.length)
        // Only a count, which a dictionary or posting lists answer for a whole dataclass.
        const counted = { paths: grouping.paths, aggregates: {} }
        expect(groupsOf(selection, counted).toArray()).toEqual(
          groupRows(office.data, 'Employee', rows, counted),
        )
        const all = office.living('Employee').map(({ row }) => row)
        expect(groupsOf(store.Employee.all(), counted).toArray()).toEqual(
          groupRows(office.data, 'Employee', all, counted),
        )
      },
    ),
    runs(300),
  )
})

function livingRows(office: PlainOffice, members: readonly unknown[]): readonly Row[] {
  return office
    .living('Employee')
    .filter((record) => members.includes(record))
    .map(({ row }) => row)
}

test('conditions, orders and pages are those of plain rows', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      fc.constantFrom('name', 'employer.city', 'level', 'active', 'born.month'),
      fc.integer({ min: 0, max: 4 }),
      fc.array(
        fc.tuple(
          fc.constantFrom('count', 'salary.sum', 'salary.max', 'code.min', 'salary.average'),
          fc.boolean(),
        ),
        { minLength: 1, maxLength: 3 },
      ),
      fc.nat(3),
      fc.nat(4),
      (data, path, least, order, skip, top) => {
        const grouping: PlainGrouping = {
          paths: [path],
          aggregates: { salary: ['sum', 'max', 'average'], code: ['min', 'count'] },
        }
        const rows = groupRows(data, 'Employee', data.Employee, grouping)
        const groups = groupsOf(officeOf(data, []).Employee.all(), grouping)
        const memberOf = (row: PlainGroup, name: string): unknown =>
          name
            .split('.')
            .reduce<unknown>((at, each) => (at as { readonly [n: string]: unknown })[each], row)
        const compare = (a: PlainGroup, b: PlainGroup): number => {
          for (const [name, isDescending] of order) {
            const found = compareValues(memberOf(a, name), memberOf(b, name))
            if (found !== 0) return isDescending ? -found : found
          }
          return 0
        }
        const text = order.map(([name, isDown]) => (isDown ? `${name} desc` : name)).join(', ')
        const ordered = [...rows].sort(compare)
        expect(groups.orderBy(text).toArray()).toEqual(ordered)
        const kept = ordered.filter(
          (row) => (row.count as number) >= least && memberOf(row, 'salary.max') !== null,
        )
        const having = groups
          .having('count >= :1', [least])
          .having('salary.max != null')
          .orderBy(text)
        expect(having.toArray()).toEqual(kept)
        expect(having.page(skip, top).toArray()).toEqual(kept.slice(skip, skip + top))
        expect(groups.having(`not (count >= ${least})`).count).toBe(
          rows.filter((row) => (row.count as number) < least).length,
        )
      },
    ),
    runs(150),
  )
})

const Reading = defineDataClass('Reading', {
  ID: attribute.long({ key: true, autoSequence: true }),
  at: attribute.date(),
  value: attribute.number(),
})

test('times and numbers at any distance from each other have a group for each value', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(10 ** 12), max: 10 ** 12 }),
      fc.constantFrom(1, 1, 7, 1000, 60_000, 86_400_000, 2 ** 33 + 1),
      fc.array(fc.option(fc.integer({ min: -300, max: 300 })), { maxLength: 60 }),
      // Most numbers are whole, so that a fraction can come behind them.
      fc.array(fc.constantFrom(0, 0, 0, 0.5), { minLength: 1, maxLength: 9 }),
      (base, unit, steps, fractions) => {
        const store = createDataStore({ name: 'readings', dataClasses: [Reading] })
        const times = steps.map((step) => (step === null ? null : base + step * unit))
        const values = times.map((time, at) =>
          time === null ? null : time + fractions[at % fractions.length]!,
        )
        store.Reading.load(
          times.map((time, at) => ({
            at: time === null ? null : new Date(time),
            value: values[at],
          })),
        )
        const inOrder = (numbers: readonly (number | null)[]) => {
          const counts = new Map<number | null, number>()
          for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
          return [...counts].sort(
            ([a], [b]) => (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY),
          )
        }
        const all = store.Reading.all()
        const count = { count: true } as const
        expect(all.groupBy('at', count).toArray()).toEqual(
          inOrder(times).map(([time, count]) => ({
            at: time === null ? null : new Date(time).toISOString(),
            count,
          })),
        )
        expect(all.groupBy('value', count).toArray()).toEqual(
          inOrder(values).map(([value, count]) => ({ value, count })),
        )
      },
    ),
    { ...runs(200), examples: [[0, 1, [0, 1, 0], [0, 0, 0.5]]] },
  )
})

test('whole numbers up to the safe ones have a group for each value', () => {
  const edges = [-Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER]
  const near = (edge: number) => (by: number) =>
    Number.isSafeInteger(edge + by) ? edge + by : null
  const numbers = fc.oneof(
    ...edges.map((edge) => fc.integer({ min: -5, max: 5 }).map(near(edge))),
    fc.constant(null),
  )
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 4 }), (values) => {
      const store = createDataStore({ name: 'readings', dataClasses: [Reading] })
      store.Reading.load(values.map((value) => ({ value })))
      const given = [...new Set(values.map((value) => (value === 0 ? 0 : value)))].sort(
        (a, b) => (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY),
      )
      expect(store.Reading.all().groupBy('value', { count: true }).toArray()).toEqual(
        given.map((value) => ({ value, count: values.filter((each) => each === value).length })),
      )
    }),
    runs(500),
  )
})
