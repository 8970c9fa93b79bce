import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { type Asked, ask, bankSite, START } from './bank-site.ts'
import { runAll, waitOf } from './schedule.ts'

const ACCOUNTS = 600

/**
 * Changes of all kinds; `effect` counts how much of a change is made, so that partial changes show.
 */
type Site = ReturnType<typeof bankSite>
interface Change {
  readonly name: string
  readonly asked: Asked
  readonly effect: (site: Site) => number
  /** The `effect` of a complete change. */
  readonly whole: number
}
const CHANGES: readonly Change[] = [
  {
    name: 'an update',
    asked: { method: 'POST', path: 'Account', body: { __KEY: '1', balance: 7 } },
    effect: ({ store }) => store.Account.query('balance = 7').count,
    whole: 1,
  },
  {
    name: 'an atomic batch',
    asked: {
      method: 'POST',
      path: 'Account?$atomic=true',
      body: [1, 2, 3].map((ID) => ({ __KEY: String(ID), balance: 7 })),
    },
    effect: ({ store }) => store.Account.query('balance = 7').count,
    whole: 3,
  },
  {
    name: 'a deletion by filter, all or none',
    asked: { method: 'DELETE', path: 'Account?$filter="ID <= 50 and balance > 0"&$atomic=true' },
    effect: ({ store }) => ACCOUNTS - store.Account.count,
    whole: 50,
  },
  {
    name: 'a deletion in turns',
    asked: { method: 'DELETE', path: 'Account?$filter="ID <= 250 and balance > 0"' },
    effect: ({ store }) => ACCOUNTS - store.Account.count,
    whole: 250,
  },
  {
    name: 'a batch in turns',
    asked: {
      method: 'POST',
      path: 'Account',
      body: Array.from({ length: 550 }, (_, i) => ({ __KEY: String(i + 1), balance: 7 })),
    },
    effect: ({ store }) => store.Account.query('balance = 7').count,
    whole: 550,
  },
  {
    name: 'a function',
    asked: { method: 'POST', path: '$catalog/transfer', body: [1, 2, 60] },
    effect: ({ store }) => store.Account.query(`balance != ${START}`).count,
    whole: 2,
  },
  {
    name: 'a lock',
    asked: { path: 'Account(1)?$lock=true' },
    effect: ({ store }) => store.locks.size + store.sessions.size,
    whole: 2,
  },
  {
    name: 'an entity set',
    asked: { path: 'Account?$filter="balance > 0"&$method=entityset&$top=1' },
    effect: ({ store }) => store.entitySets.size,
    whole: 1,
  },
]

test(
  'whenever the client disconnects, a change is made completely or not, and a success answer means that it is made',
  patience,
  async () => {
    const seen = { whole: 0, none: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.constantFrom(...CHANGES),
        fc.nat(12),
        fc.constantFrom(0, 1),
        fc.boolean(),
        async (s, change, at, pace, isReading) => {
          const wait = waitOf(s)
          const gone = new AbortController()
          // The host reports it, and the body fails, at the same time.
          const piece = async (): Promise<void> => {
            await wait('piece')
            if (gone.signal.aborted) throw new Error('ECONNRESET')
          }
          const site = bankSite({
            accounts: ACCOUNTS,
            pace,
            nextSlice: () => wait('slice'),
            authorize: async () => {
              await wait('authorize')
              return true
            },
            admit: async () => {
              await wait('admit')
              return true
            },
            durable: () => wait('durable'),
          })
          const { rest, store } = site
          const clients = [
            async () => {
              const { status } = await ask(rest, { ...change.asked, piece, signal: gone.signal })
              const effect = change.effect(site)
              expect([0, change.whole]).toContain(effect)
              if (status === 200) expect(effect).toBe(change.whole)
              if (effect === 0) expect(status).toBeGreaterThanOrEqual(400)
              seen[effect === 0 ? 'none' : 'whole']++
            },
            async () => {
              for (let i = 0; i < at; i++) await wait('client')
              gone.abort()
            },
            async () => {
              // Writes wait for the long read of another client, also that of the aborted request.
              if (isReading)
                await ask(rest, { path: `Account?$top=${ACCOUNTS}&$attributes=ID,balance` })
            },
          ]
          await runAll(s, clients)
          store.verify()
        },
      ),
      // At once, before the change has begun.
      { ...runs(40), examples: [[fc.sample(fc.scheduler(), 1)[0]!, CHANGES[0]!, 0, 0, false]] },
    )
    expect(seen.whole).toBeGreaterThan(0)
    expect(seen.none).toBeGreaterThan(0)
  },
)

test(
  'only changes that cannot be made durable are answered with 500, and no change is answered before it is durable',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        async (s, kept) => {
          const wait = waitOf(s)
          const { rest, store } = bankSite({
            accounts: 5,
            nextSlice: () => wait('slice'),
            durable: async () => {
              // The commit identifies the request that waits.
              const stamp = store.globalStamp
              await wait('durable')
              durable = Math.max(durable, stamp)
              if (!isKept(stamp)) throw new Error('no space left on device')
            },
          })
          let durable = 0
          const begun = store.globalStamp
          const stampOf = new Map<number, number>()
          const isKept = (stamp: number): boolean => kept[stamp - begun - 1]!
          store.on(
            'commit',
            ({ globalStamp, changes }) => void stampOf.set(Number(changes[0]!.key), globalStamp),
          )
          await runAll(
            s,
            kept.map((_, at) => async () => {
              const { status } = await ask(rest, {
                method: 'POST',
                path: 'Account',
                body: { __KEY: String(at + 1), balance: 1 },
                piece: () => wait('piece'),
              })
              const stamp = stampOf.get(at + 1)!
              expect(status).toBe(isKept(stamp) ? 200 : 500)
              expect(durable).toBeGreaterThanOrEqual(stamp)
              // Durable or not, it is in memory, as the answer says.
              expect(store.Account.get(at + 1)?.balance).toBe(1)
            }),
          )
        },
      ),
      runs(40),
    )
  },
)
