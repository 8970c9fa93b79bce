import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, openDump } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { createShop, opened, SHOP } from './shop.ts'
import { until } from './waiting.ts'

const WIRE = ['connect', 'cut', 'reload', 'lose'] as const
type Step =
  | { readonly kind: 'add'; readonly replica: number; readonly count: number }
  | { readonly kind: 'wire'; readonly does: (typeof WIRE)[number]; readonly replica: number }
  | { readonly kind: 'server' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly turns: number }

const number = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      replica: number,
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('wire' as const),
      does: fc.constantFrom(...WIRE),
      replica: number,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ kind: 'server' as const }, { kind: 'restart' as const }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(5) }) },
)

test(
  'no key is given twice and no insertion is lost, whatever is cut, lost, repeated and opened again',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), fc.constant(50)),
        async (steps, sizes) => {
          const folder = await mkdtemp(join(tmpdir(), 'entia-leases-'))
          let { store, rest } = createShop()
          const shop = { rest: { fetch: (request: Request) => rest.fetch(request) } as never }
          const open = (at: number, isUp: boolean) =>
            opened(shop, sizes[at]!, {
              isUp,
              keep: async (store: AnyDataStore) => {
                const journal = await openJournal(store, join(folder, `${at}`))
                // The next start reads a dump of the store in place of commits.
                await journal.compact()
                return journal
              },
            })
          const all = await Promise.all(sizes.map((_, at) => open(at, true)))
          /** What was inserted, by key, at the replicas and at the server. */
          const given = new Map<number, string>()
          const note = (key: number, text: string): void => {
            expect(given.get(key)).toBe(undefined)
            given.set(key, text)
          }
          let count = 0
          for (const each of steps) {
            if (each.kind === 'wait') for (let at = 0; at < each.turns; at++) await turn()
            else if (each.kind === 'server') {
              const text = `${++count}`
              note(store.Order.insert({ text }).ID, text)
            } else if (each.kind === 'restart') {
              rest.endStreams()
              store = openDump(store.dump(), SHOP)
              rest = createRestHandler(store, { replicas: true })
            } else {
              const one = all[each.replica]!
              if (each.kind === 'wire') {
                if (each.does === 'connect') one.connect()
                else if (each.does === 'cut') one.cut()
                else if (each.does === 'lose') one.wire.lost++
                else {
                  await one.replica.close()
                  all[each.replica] = await open(each.replica, one.wire.isUp)
                }
              } else {
                const texts = Array.from({ length: each.count }, () => `${++count}`)
                try {
                  const { result } = await one.replica.transact((tx) =>
                    texts.map((text) => tx.Order.insert({ text }).ID),
                  )
                  for (const [at, key] of result.entries()) note(key, texts[at]!)
                } catch (error) {
                  expect(error).toMatchObject({ code: 'keysUsedUp' })
                }
              }
            }
          }
          for (const { connect } of all) connect()
          for (const { replica, errors } of all) {
            await replica.current()
            expect(replica.problems.count).toBe(0)
            expect(errors).toEqual([])
          }
          const stored = (
            orders: Iterable<{ readonly ID: number; readonly text: string | null }>,
          ) => new Map([...orders].map(({ ID, text }) => [ID, text]))
          expect(stored(store.Order.all())).toEqual(given)
          store.verify()
          for (const { replica } of all) {
            await until(() => replica.store.Order.all().count === given.size)
            expect(stored(replica.store.Order.all())).toEqual(given)
            replica.store.verify()
            await replica.close()
          }
          await rm(folder, { recursive: true })
        },
      ),
      { ...runs(25) },
    )
  },
)

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
