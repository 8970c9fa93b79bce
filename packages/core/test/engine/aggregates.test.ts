import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { aggregate, distinct, exactSum } from '../oracle/aggregate.ts'
import { evaluate } from '../oracle/evaluate.ts'
import type { ClassName, Row } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { select, sources } from './office-selections.ts'
import { type Entity, emptyOffice, keysOf, officeOf, outcome } from './office-store.ts'
import { copyInto, writeBoth, writes } from './office-writes.ts'

const NUMBERS = ['level', 'serial', 'salary', 'shift', 'employerID', 'doubled', 'ID'] as const
const OTHERS = [
  'name',
  'code',
  'token',
  'active',
  'born',
  'hired',
  'label',
  'employerName',
] as const
const PATHS = [
  ...NUMBERS,
  ...OTHERS,
  'employer.city',
  'boss.name',
  'boss.employer.revenue',
  'team.salary',
  'team.name',
  'badges.colour',
  'badges.issuer.name',
  'employer.employees.level',
  'notes.rank',
  'notes.inner.x',
  'boss.notes.rank',
]
const attributes = fc.constantFrom(...NUMBERS, ...OTHERS)

test('count, sum, average, min and max are those of the live members', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      sources,
      fc.array(writes, { maxLength: 3 }),
      attributes,
      (data, indexes, source, writes, name) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const members = outcome(() => membersOf(office, source))
        if (members === 'refused') return
        const selection = select(store, source)
        for (const write of writes) writeBoth(store, office, write)
        const living = members.filter((record) => office.isLiving('Employee', record))
        // The minimum and maximum of equal texts are those of the first in record order, as in
        // `distinct`.
        const rows = office
          .living('Employee')
          .filter((record) => living.includes(record))
          .map(({ row }) => row)
        const { sum, average, ...expected } = aggregate(office.data, 'Employee', rows, name)
        expect(selection.compute(name)).toMatchObject(expected)
        expect(selection.min(name)).toBe(expected.min)
        expect(selection.max(name)).toBe(expected.max)
        expect(selection.countOf(name)).toBe(expected.count)
        const values = distinct(office.data, 'Employee', rows, [name])
        expect(selection.compute(name, { distinct: true })).toEqual({
          count: values.length,
          sum: sum === null ? null : exactSum(values.map(Number)),
          average:
            sum === null || values.length === 0
              ? null
              : exactSum(values.map(Number)) / values.length,
          min: values[0] ?? null,
          max: values.at(-1) ?? null,
        })
        expect(outcome(() => selection.sum(name))).toBe(sum ?? 'refused')
        expect(outcome(() => selection.average(name))).toBe(sum === null ? 'refused' : average)
        if (sum !== null) expect(selection.compute(name)).toMatchObject({ sum, average })
      },
    ),
    runs(150),
  )
})

test('distinct values appear once, in order, in the spelling of the first', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      sources,
      fc.array(writes, { maxLength: 3 }),
      fc.constantFrom(...PATHS),
      (data, indexes, source, writes, path) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const members = outcome(() => membersOf(office, source))
        if (members === 'refused') return
        const selection = select(store, source)
        for (const write of writes) writeBoth(store, office, write)
        const rows = office
          .living('Employee')
          .filter((record) => members.includes(record))
          .map(({ row }) => row)
        expect(selection.distinct(path)).toEqual(
          distinct(office.data, 'Employee', rows, path.split('.')),
        )
      },
    ),
    runs(150),
  )
})

test('pages of any size add up to the selection', patience, () => {
  fc.assert(
    fc.property(
      offices({ maxEmployees: 14 }),
      indexSets,
      sources,
      fc.integer({ min: 1, max: 6 }),
      (data, indexes, source, top) => {
        const store = officeOf(data, indexes)
        const selection = outcome(() => select(store, source))
        if (selection === 'refused') return
        const keys: unknown[] = []
        for (let skip = 0; skip < selection.count; skip += top) {
          const page = selection.page(skip, top)
          expect(page.count).toBe(Math.min(top, selection.count - skip))
          keys.push(...page.keys())
        }
        expect(keys).toEqual(selection.keys())
        expect(selection.page(selection.count, top).count).toBe(0)
      },
    ),
    runs(100),
  )
})

test('the order of the values does not change a sum', patience, () => {
  const addends = fc.array(fc.constantFrom(1e16, -1e16, 1, 0.1, -0.1, 3e-17, 1e300, -1e300), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(
      addends.chain((values) =>
        fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
      ),
      ([one, other]) => {
        const sumOf = (values: readonly number[]) => {
          const store = emptyOffice()
          store.Company.load(values.map((revenue) => ({ revenue })))
          return store.Company.all().sum('revenue')
        }
        expect(sumOf(one)).toBe(sumOf(other))
      },
    ),
    runs(30),
  )
})

test('a sum of whole numbers beyond 2^53 is rounded once, at the end', () => {
  const store = emptyOffice()
  const revenues = [2 ** 53, 1, 1]
  store.Company.load(revenues.map((revenue) => ({ revenue })))
  expect(store.Company.all().sum('revenue')).toBe(2 ** 53 + 2)
  store.Company.load([{ revenue: -(2 ** 53) }, { revenue: -(2 ** 53) }])
  expect(store.Company.all().sum('revenue')).toBe(-(2 ** 53) + 2)
})

test('the related entities are those that a filter finds', patience, () => {
  fc.assert(
    fc.property(offices(), indexSets, (data, indexes) => {
      const store = officeOf(data, indexes)
      const many: readonly (readonly [ClassName, string, ClassName, string])[] = [
        ['Company', 'employees', 'Employee', 'employer = :1'],
        ['Employee', 'team', 'Employee', 'boss = :1'],
        ['Employee', 'badges', 'Badge', 'holder = :1'],
      ]
      for (const [className, relation, target, filter] of many) {
        for (const entity of store.dataClass(className).all()) {
          const expected = keysOf(target, evaluate(data, target, filter, [entity.key]))
          expect([...(entity[relation] as Iterable<Entity>)].map(({ key }) => key)).toEqual(
            expected,
          )
        }
      }
      for (const entity of store.Employee.all()) {
        const { employerID, boss } = data.Employee.find(({ ID }) => ID === entity.key) as Row
        expect((entity.employer as Entity | null)?.key ?? null).toBe(employerID)
        expect((entity.boss as Entity | null)?.key ?? null).toBe(boss)
        expect(entity.employerName).toBe(
          data.Company.find(({ ID }) => ID === employerID)?.name ?? null,
        )
      }
    }),
    runs(30),
  )
})
