// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import fc from 'fast-check'
import { StrictMode, useLayoutEffect, useState } from 'react'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { useEntity, useLive, usePage } from '../src/use-live.ts'
import { type CompanyStore, createCompany } from './company.ts'
import { countLiveQueries } from './count-live-queries.ts'

const FILTERS = ['salary > 50000', 'lastName begin "A"', 'employer.name = Acme'] as const
const ORDERS = ['ID', 'salary desc', 'lastName', 'employer.name, ID'] as const
const shown = fc.record({
  store: fc.nat(1),
  filter: fc.nat(FILTERS.length - 1),
  order: fc.nat(ORDERS.length - 1),
  kind: fc.constantFrom('list' as const, 'page' as const, 'entity' as const),
  key: fc.integer({ min: 1, max: 5 }),
})
type Shown = typeof shown extends fc.Arbitrary<infer S> ? S : never
const write = fc.record({
  store: fc.nat(1),
  kind: fc.constantFrom(
    'raise' as const,
    'hire' as const,
    'replace' as const,
    'rename' as const,
    'restore' as const,
  ),
  key: fc.integer({ min: 1, max: 5 }),
  salary: fc.constantFrom(40_000, 60_000, 80_000),
})
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('show' as const), at: fc.nat(1), shown }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hide' as const), at: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), write }) },
  // The component writes while it is mounted.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('effect' as const), write }) },
)

const id = (at: number): string => `place-${at}`
const textAt = (at: number) => document.getElementById(id(at))?.textContent

type Employee = {
  readonly ID: number | null
  readonly lastName: string | null
  readonly salary: number | null
  readonly employer: { readonly name: string | null } | null
}
const line = (list: readonly Employee[]): string =>
  list.map((e) => `${e.ID} ${e.lastName} ${e.salary} ${e.employer?.name}`).join(', ')
const selected = ({ Employee }: CompanyStore, { filter, order }: Shown) =>
  Employee.query(FILTERS[filter]!).orderBy(ORDERS[order]!)

/** What a component must show, by a query of its own. */
function expected(store: CompanyStore, each: Shown): string {
  const { kind, key } = each
  if (kind === 'entity')
    return line(
      store.Employee.all()
        .toArray()
        .filter(({ ID }) => ID === key),
    )
  const all = selected(store, each)
  return line((kind === 'page' ? all.page(1, 2) : all).toArray())
}

function change(
  store: CompanyStore,
  { kind, key, salary }: Write,
  start: ReturnType<CompanyStore['snapshot']>,
): void {
  const isThere = store.Employee.has(key)
  if (kind === 'raise' && isThere)
    store.Employee.update(key, { salary, employer: salary > 60_000 ? 1 : 2 })
  else if (kind === 'hire') store.Employee.insert({ lastName: `A${salary}`, salary, employer: 1 })
  else if (kind === 'rename') store.Company.update(1, { name: salary > 60_000 ? 'Acme' : 'Other' })
  else if (kind === 'restore') store.restore(start)
  else if (kind === 'replace')
    store.transact((tx) => {
      if (isThere) tx.Employee.remove(key)
      tx.Employee.insert({ ID: key, lastName: 'Az', salary })
    })
}

test.each([false, true])(
  'a component at rest shows what its query has, whatever it is given and whatever is written (StrictMode: %s)',
  async (isStrict) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        cleanup()
        const stores = [createCompany(), createCompany()] as const
        const live = stores.map((store) => countLiveQueries(store.Employee.all()))
        const starts = stores.map((store) => store.snapshot())
        const run = (given: Write): void =>
          change(stores[given.store]!, given, starts[given.store]!)
        const all: (Shown | null)[] = [null, null]
        let effect: Write | null = null
        let renderAgain = (): void => {}
        const useEffectOnce = (): void =>
          useLayoutEffect(() => {
            const given = effect
            effect = null
            if (given !== null) run(given)
          })
        const select = 'employer.name'
        function Entity({ each }: { readonly each: Shown }) {
          useEffectOnce()
          const entity = useEntity(stores[each.store]!.Employee, each.key)
          return line(entity === undefined ? [] : [entity])
        }
        function List({ each }: { readonly each: Shown }) {
          useEffectOnce()
          return line(useLive(selected(stores[each.store]!, each), { select }))
        }
        function Page({ each }: { readonly each: Shown }) {
          useEffectOnce()
          return line(usePage(selected(stores[each.store]!, each), { skip: 1, top: 2, select }))
        }
        const parts = { entity: Entity, list: List, page: Page }
        function App() {
          const [count, setCount] = useState(0)
          renderAgain = () => setCount(count + 1)
          return all.map((each, at) => {
            const Part = each && parts[each.kind]
            return (
              Part && (
                <p key={id(at)} id={id(at)}>
                  <Part each={each} />
                </p>
              )
            )
          })
        }
        const { unmount } = render(
          isStrict ? (
            <StrictMode>
              <App />
            </StrictMode>
          ) : (
            <App />
          ),
        )
        for (const each of steps) {
          await act(async () => {
            if (each.kind === 'write') return run(each.write)
            if (each.kind === 'effect') effect = each.write
            else all[each.at] = each.kind === 'show' ? each.shown : null
            renderAgain()
          })
          // Without `select`, an entity does not follow its relations.
          for (const [at, one] of all.entries()) {
            if (one === null) continue
            // An entity does not follow its relations.
            const words = one.kind === 'entity' ? 3 : undefined
            const [is, must] = [textAt(at), expected(stores[one.store]!, one)]
            expect(is?.split(' ', words)).toEqual(must.split(' ', words))
          }
        }
        await act(async () => unmount())
        expect(live.map(({ running }) => running())).toEqual([0, 0])
      }),
      {
        ...runs(60),
        // A related entity changes between the first rendering and the subscription.
        examples: [
          [
            [
              { kind: 'effect', write: { store: 0, kind: 'rename', key: 1, salary: 40_000 } },
              {
                kind: 'show',
                at: 0,
                shown: { store: 0, filter: 0, order: 0, kind: 'list', key: 1 },
              },
            ],
          ],
        ],
      },
    )
  },
  patience.timeout,
)
