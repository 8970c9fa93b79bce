import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { resultOf } from '../src/results.ts'
import { type CompanyStore, createCompany } from './company.ts'

const key = fc.integer({ min: 1, max: 6 })
const values = fc.record(
  { lastName: fc.constantFrom('Ada', 'Ng', 'Zola'), salary: fc.integer({ min: 0, max: 4 }) },
  { requiredKeys: [] },
)
const write = fc.oneof(
  fc.record({ kind: fc.constant('save' as const), key, values }),
  fc.record({ kind: fc.constant('remove' as const), key }),
)
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never

function carryOut({ Employee }: CompanyStore, given: Write): void {
  const isThere = Employee.has(given.key)
  if (given.kind === 'remove') return void (isThere && Employee.remove(given.key))
  if (isThere) Employee.update(given.key, given.values)
  else Employee.insert({ ...given.values, ID: given.key })
}

/** Selections with their order, and pages of them. */
const queries = [
  (store: CompanyStore) => store.Employee.all(),
  (store: CompanyStore) => store.Employee.query('salary > 1').orderBy('salary desc, lastName'),
  (store: CompanyStore) => store.Employee.query('lastName = "N@"'),
  (store: CompanyStore) => store.Employee.query('employer.name = Acme').orderBy('lastName'),
]

test('a result equals that of the query, and keeps objects that were not written', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
      fc.constantFrom(...queries),
      fc.option(fc.record({ skip: fc.nat(2), top: fc.nat(3) })),
      (transactions, query, page) => {
        const store = createCompany()
        const now = () => {
          const selection = query(store)
          return (page === null ? selection : selection.page(page.skip, page.top)).toArray()
        }
        const result = resultOf(query(store), page)
        let notified = 0
        const end = result.subscribe(() => void notified++)
        for (const writes of transactions) {
          const before = result.snapshot() as ReturnType<typeof now>
          const count = notified
          store.transact(() => {
            for (const each of writes) carryOut(store, each)
          })
          const after = result.snapshot() as typeof before
          expect(after).toEqual(now())
          expect(after === before).toBe(notified === count)
          const isWritten = (id: number) => writes.some((each) => each.key === id)
          const old = new Map(before.map((entity) => [entity.ID, entity]))
          for (const entity of after)
            if (!isWritten(entity.ID)) expect(entity).toBe(old.get(entity.ID) ?? entity)
          // An entity before a page moves it.
          if (page === null && ![...before, ...after].some(({ ID }) => isWritten(ID)))
            expect(after).toBe(before)
        }
        end()
      },
    ),
    runs(100),
  )
})

test('values without live queries, such as a dataclass, are refused', () => {
  for (const given of [createCompany().Employee, undefined, []])
    expect(() => resultOf(given as never, null)).toThrow('such as store.Employee.all()')
})
