import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import type { FilterTrace } from '../../src/model/explain-types.ts'
import { type IndexSet, indexSets, offices } from '../arbitraries.ts'
import { type FilterText, orders, queries } from '../filter-arbitraries.ts'
import { aggregate } from '../oracle/aggregate.ts'
import { evaluate } from '../oracle/evaluate.ts'
import { CLASS_NAMES, type ClassName, type PlainData, type Row, SHAPE } from '../oracle/office.ts'
import { orderBySyntax, orderRows } from '../oracle/order.ts'
import { patience, runs } from '../runs.ts'
import { rules, seen as seenBy, viewOf, wholeOf } from './hidden-rows.ts'
import { emptyOffice, keysOf, type OfficeStore, outcome } from './office-store.ts'

/** Filters on relations, most of them on missing entities. */
const paths: { readonly [K in ClassName]: readonly string[] } = {
  Company: [
    'employees.boss.name',
    'employees.boss',
    'badges.holder.boss.salary',
    'employees.notes.a',
    'badges.holder',
  ],
  Employee: [
    ...[
      'employer',
      'employer.ID',
      'employer.name',
      'employerName',
      'employer.city',
      'boss',
      'boss.ID',
      'boss.salary',
    ],
    ...[
      'boss.employer',
      'boss.employer.name',
      'boss.notes.a',
      'boss.doubled',
      'team.boss.name',
      'boss.employer.ID',
    ],
    ...[
      'boss.boss.name',
      'employer.employees',
      'employer.badges.colour',
      'boss.team',
      'employerID',
      'boss.active',
    ],
  ],
  Badge: [
    'holder',
    'holder.ID',
    'holder.boss',
    'holder.boss.name',
    'issuer',
    'issuer.name',
    'issuer.ID',
    'issuerID',
  ],
}
const comparison = (className: ClassName): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...paths[className]),
      fc.constantFrom('= null', '!= null', '= null', '= 1', '!= 1', '> 1'),
    )
    .map((parts) => parts.join(' '))
const conditions = (className: ClassName): fc.Arbitrary<string> => {
  const one = comparison(className)
  return fc.oneof(
    { weight: 3, arbitrary: one },
    one.map((text) => `not (${text})`),
    fc.tuple(one, fc.constantFrom('and', 'or', 'except'), one).map((parts) => parts.join(' ')),
    fc.tuple(one, one, one).map(([a, b, c]) => `(${a} or ${b}) and not (${c})`),
  )
}
const asked = fc.constantFrom(...CLASS_NAMES, 'Employee' as const).chain((className) =>
  fc.tuple(
    fc.constant(className),
    fc.oneof(
      {
        weight: 3,
        arbitrary: conditions(className).map((text): FilterText => ({ text, params: [] })),
      },
      { weight: 1, arbitrary: queries(className) },
    ),
  ),
)

interface Traced {
  trace(text: string): FilterTrace
}

/**
 * The positions of missing entities. Some are inserted and removed again before others refer to
 * them.
 */
const absences = fc.record({
  missing: fc.array(fc.nat(12), { maxLength: 5 }),
  isRemoved: fc.boolean(),
})
type Absence = { readonly missing: readonly number[]; readonly isRemoved: boolean }

const FOREIGN_KEYS = ['employerID', 'boss', 'holder', 'issuerID']
const unlinked = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !FOREIGN_KEYS.includes(name)))

/**
 * An office inside a transaction with some missing rows; the transaction is rolled back at the end.
 */
function within(
  data: PlainData,
  indexes: IndexSet,
  { missing, isRemoved }: Absence,
  body: (tx: OfficeStore, data: PlainData) => void,
): void {
  const all = CLASS_NAMES.flatMap((className) => data[className].map((row) => ({ className, row })))
  const absent = new Set(missing.map((place) => all[place]?.row))
  const kept = Object.fromEntries(
    CLASS_NAMES.map((className) => [className, data[className].filter((row) => !absent.has(row))]),
  ) as unknown as PlainData
  const store = emptyOffice(indexes)
  const end = new Error('the end')
  expect(() =>
    store.transact((tx) => {
      if (isRemoved) {
        for (const { className, row } of all)
          if (absent.has(row)) tx.dataClass(className).insert(unlinked(row))
        expect(tx.Company.all().count).toBe(data.Company.length - kept.Company.length)
        for (const { className, row } of all)
          if (absent.has(row)) tx.dataClass(className).remove(row[SHAPE[className].key] as number)
      }
      for (const className of CLASS_NAMES)
        for (const row of kept[className]) tx.dataClass(className).insert(row)
      body(tx, kept)
      throw end
    }),
  ).toThrow(end)
  store.verify()
}

describe('a dangling relation inside a transaction is empty', () => {
  test('for every plan of every filter, whatever is indexed', patience, () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        absences,
        fc.array(asked, { minLength: 1, maxLength: 4 }),
        (data, indexes, absence, all) => {
          within(data, indexes, absence, (tx, kept) => {
            for (const [className, { text, params }] of all) {
              const expected = outcome(() => {
                const rows = evaluate(kept, className, text, params)
                return keysOf(
                  className,
                  orderBySyntax(kept, className, rows, parseFilter(text).orderBy),
                )
              })
              const table = tx.dataClass(className)
              expect(outcome(() => table.query(text, params).keys())).toEqual(expected)
              if (expected === 'refused') continue
              const plans = table.plans(text, params)
              for (let plan = 0; plan < plans.length; plan++)
                expect(
                  table.query(text, params, { plan }).keys(),
                  `plan ${plan}:\n${plans[plan]}`,
                ).toEqual(expected)
              expect(tx.Employee.all().count).toBe(kept.Employee.length)
              expect([...table.all().query(text, params).keys()].sort()).toEqual(
                [...expected].sort(),
              )
            }
          })
        },
      ),
      runs(250),
    )
  })

  test('for orders, aggregates and distinct values', patience, () => {
    fc.assert(
      fc.property(offices(), absences, orders('Employee'), (data, absence, order) => {
        within(data, [], absence, (tx, kept) => {
          const found = tx.Employee.all()
          const ordered = outcome(() =>
            keysOf('Employee', orderRows(kept, 'Employee', kept.Employee, order)),
          )
          expect(outcome(() => found.orderBy(order).keys())).toEqual(ordered)
          for (const path of [
            'employer.name',
            'employerName',
            'boss.salary',
            'boss.employer.city',
            'employer.ID',
          ]) {
            const there = kept.Employee.filter((row) =>
              evaluate(kept, 'Employee', `${path} != null`).includes(row),
            )
            expect(found.countOf(path), path).toBe(there.length)
          }
          expect(found.sum('salary')).toBe(aggregate(kept, 'Employee', kept.Employee, 'salary').sum)
          const names = kept.Company.filter(({ ID }) =>
            kept.Employee.some(({ employerID }) => employerID === ID),
          )
          expect([...found.distinct('employer.ID')].sort()).toEqual(
            names.map(({ ID }) => ID).sort(),
          )
          for (const entity of found.toArray()) {
            const row = kept.Employee.find(({ ID }) => ID === entity.ID)
            const employer = kept.Company.find(({ ID }) => ID === row?.employerID)
            expect((entity as unknown as { employer: { ID: unknown } | null }).employer?.ID).toBe(
              employer?.ID,
            )
          }
        })
      }),
      runs(80),
    )
  })

  test('for a caller with hidden entities, as for a store without them', patience, () => {
    fc.assert(
      fc.property(
        offices(),
        absences,
        rules,
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        (data, absence, rules, all) => {
          within(data, [], absence, (tx, kept) => {
            const seen = outcome(() => seenBy(kept, rules))
            const view = viewOf(tx, rules)
            if (view === null || seen === 'refused') return
            for (const [className, { text, params }] of all) {
              if (/employerID|issuerID/.test(text)) continue
              const expected = outcome(() => {
                const rows = evaluate(seen, className, text, params)
                return keysOf(
                  className,
                  orderBySyntax(seen, className, rows, parseFilter(text).orderBy),
                )
              })
              expect(outcome(() => view.dataClass(className).query(text, params).keys())).toEqual(
                expected,
              )
            }
          })
        },
      ),
      runs(150),
    )
  })
})

test('the counts of a trace for missing entities are those of the filter', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      absences,
      comparison('Employee'),
      (data, indexes, absence, text) => {
        within(data, indexes, absence, (tx, kept) => {
          const whole = wholeOf(tx)
          if (/employerID/.test(text)) return
          const expected = outcome(() => evaluate(kept, 'Employee', text).length)
          if (expected === 'refused') return
          const traced = (whole.dataClass('Employee') as unknown as Traced).trace(text)
          expect(traced.root?.found ?? kept.Employee.length, text).toBe(expected)
        })
      },
    ),
    runs(100),
  )
})
