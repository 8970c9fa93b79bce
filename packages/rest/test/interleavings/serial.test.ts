import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { ACCOUNTS, ask, type BankStore, bankSite, type Reply, START, sumOf } from './bank-site.ts'
import { anomalyIn, type Done } from './histories.ts'
import { runAll, waitOf } from './schedule.ts'

/**
 * A site whose waits are all controlled by the scheduler: permission, bodies, time slices, waits of
 * functions, durability.
 */
function scheduledBank(s: fc.Scheduler, options: Partial<Parameters<typeof bankSite>[0]> = {}) {
  const wait = waitOf(s)
  const site = bankSite({
    nextSlice: () => wait('slice'),
    pause: () => wait('function'),
    authorize: async () => {
      await wait('authorize')
      return true
    },
    durable: () => wait('durable'),
    ...options,
  })
  return { ...site, wait, piece: () => wait('piece') }
}

const few = { accounts: 3 }

test(
  'exactly one of k updates and deletions with one stamp succeeds, whenever their parts arrive',
  patience,
  async () => {
    const kinds = fc.constantFrom('one', 'put', 'batch', 'atomic', 'delete', 'if-match')
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(kinds, { minLength: 2, maxLength: 5 }),
        async (s, kinds) => {
          const { rest, store, piece } = scheduledBank(s, few)
          const clients = kinds.map((kind, at) => (): Promise<Reply> => {
            const item = { __KEY: '1', __STAMP: 1, balance: 1000 + at }
            switch (kind) {
              case 'put':
                return ask(rest, {
                  method: 'PUT',
                  path: 'Account(1)',
                  body: { __STAMP: 1, balance: 1000 + at },
                  piece,
                })
              case 'batch':
                return ask(rest, { method: 'POST', path: 'Account', body: [item], piece })
              case 'atomic':
                return ask(rest, {
                  method: 'POST',
                  path: 'Account?$atomic=true',
                  body: [item, { __KEY: '2' }],
                  piece,
                })
              case 'delete':
                return ask(rest, {
                  method: 'DELETE',
                  path: 'Account',
                  body: [{ __KEY: '1', __STAMP: 1 }],
                  piece,
                })
              default:
                return ask(rest, { method: 'POST', path: 'Account', body: item, piece })
            }
          })
          const reported = await runAll(s, clients)
          const winners = reported.flatMap(({ status }, at) => (status === 200 ? [at] : []))
          expect(winners).toHaveLength(1)
          for (const { status, body } of reported) {
            if (status !== 200) expect([409, 404]).toContain(status)
            if (status !== 200) expect(body.__ERROR.length).toBeGreaterThan(0)
          }
          const at = winners[0]!
          expect(store.Account.get(1)?.balance).toBe(kinds[at] === 'delete' ? undefined : 1000 + at)
          expect(store.globalStamp).toBe(2)
          store.verify()
        },
      ),
      runs(30),
    )
  },
)

test('exactly one of k creations with one unique value succeeds', patience, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }),
      async (s, kinds) => {
        const { rest, store, piece } = scheduledBank(s, few)
        const clients = kinds.map((isBatch, at) => async (): Promise<Reply> => {
          // Each first reads whether the value is free.
          const path = `Account?$filter="email = 'ada'"&$top=1`
          await ask(rest, { path })
          const item = { email: at % 2 === 0 ? 'ada' : 'ADA', balance: at }
          return isBatch
            ? ask(rest, {
                method: 'POST',
                path: 'Account?$atomic=true',
                body: [{ balance: 7 }, item],
                piece,
              })
            : ask(rest, { method: 'POST', path: 'Account', body: item, piece })
        })
        const reported = await runAll(s, clients)
        expect(reported.filter(({ status }) => status === 200)).toHaveLength(1)
        for (const { status } of reported) expect([200, 409]).toContain(status)
        expect(store.Account.query("email = 'ada'").count).toBe(1)
        const isBatch = kinds[reported.findIndex(({ status }) => status === 200)]
        expect(store.Account.count).toBe(isBatch ? 5 : 4)
        store.verify()
      },
    ),
    runs(30),
  )
})

const account = fc.integer({ min: 1, max: 4 })
const transfers = fc.record({
  kind: fc.constantFrom('atomic', 'transfer', 'slowTransfer'),
  from: account,
  to: fc.oneof(account, fc.constant(ACCOUNTS)),
  amount: fc.integer({ min: 1, max: 90 }),
})
const READS = [
  `Account?$top=${ACCOUNTS}&$attributes=ID,balance`,
  `Account?$top=${ACCOUNTS}`,
  `Account?$top=${ACCOUNTS}&$orderby=balance desc,ID`,
  `Account?$top=${ACCOUNTS}&$filter="balance >= 0"&$orderby=email,ID`,
]

test(
  'every read shows the same total while batches and functions transfer money',
  patience,
  async () => {
    let moved = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(transfers, { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom(...READS, 'sum', 'set'), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(0, 1),
        async (s, transfers, reads, pace) => {
          const { rest, store, piece } = scheduledBank(s, { pace })
          const setId = store.entitySets.create(store.Account.all())
          const move = async ({
            kind,
            from,
            to,
            amount,
          }: (typeof transfers)[number]): Promise<void> => {
            if (kind !== 'atomic') {
              const { status } = await ask(rest, {
                method: 'POST',
                path: `$catalog/${kind}`,
                body: [from, to, amount],
                piece,
              })
              // The function throws validationFailed if the balance is too low.
              if (status === 200) moved++
              return
            }
            if (from === to) return
            const parts = await Promise.all(
              [from, to].map((ID) => ask(rest, { path: `Account(${ID})` })),
            )
            const items = parts.map(({ body }, at) => ({
              __KEY: body.__KEY,
              __STAMP: body.__STAMP,
              balance: body.balance + (at === 0 ? -amount : amount),
            }))
            const { status } = await ask(rest, {
              method: 'POST',
              path: 'Account?$atomic=true',
              body: items,
              piece,
            })
            if (status === 200) moved++
          }
          const read = async (what: string): Promise<void> => {
            if (what === 'sum') {
              const { body } = await ask(rest, { path: 'Account/balance?$compute=sum' })
              expect(body).toBe(ACCOUNTS * START)
              return
            }
            const path = what === 'set' ? `Account/$entityset/${setId}?$top=${ACCOUNTS}` : what
            const reported = await ask(rest, { path })
            expect(reported.status).toBe(200)
            expect(reported.body.__ENTITIES).toHaveLength(ACCOUNTS)
            expect(sumOf(reported)).toBe(ACCOUNTS * START)
            if (!path.includes('desc')) return
            const balances: number[] = reported.body.__ENTITIES.map(
              ({ balance }: { balance: number }) => balance,
            )
            expect(balances).toEqual([...balances].sort((a, b) => b - a))
          }
          await runAll(s, [
            ...transfers.map((one) => () => move(one)),
            ...reads.map((one) => () => read(one)),
          ])
          expect(store.Account.all().sum('balance')).toBe(ACCOUNTS * START)
          store.verify()
        },
      ),
      runs(12),
    )
    expect(moved).toBeGreaterThan(0)
  },
)

const listOf = (store: BankStore, ID: number): readonly string[] => store.Account.get(ID)?.log ?? []
const keysOf = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 })
const client = fc.array(
  fc.record({ isWrite: fc.boolean(), keys: keysOf, isRefused: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 3,
  },
)

test(
  'concurrent appends to lists with stamps lose nothing and are serializable',
  patience,
  async () => {
    let appended = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(client, { minLength: 2, maxLength: 4 }),
        async (s, clients) => {
          const { rest, store, piece } = scheduledBank(s, few)
          const history: Done[] = []
          const stampsSeen: number[][] = []
          const run = (steps: (typeof clients)[number], at: number) => async (): Promise<void> => {
            const seen: number[] = []
            stampsSeen.push(seen)
            for (const [step, { isWrite, keys, isRefused }] of steps.entries()) {
              const id = `${at}.${step}`
              const filter = keys.map((key) => `ID = ${key}`).join(' or ')
              const reported = await ask(rest, { path: `Account?$filter="${filter}"&$orderby=ID` })
              // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
              const found: any[] = reported.body.__ENTITIES
              seen.push(reported.body.__GlobalStamp)
              const read = new Map<number, readonly string[]>(
                found.map(({ __KEY, log }) => [Number(__KEY), log]),
              )
              history.push({ id: `r${id}`, isCommitted: true, appended: [], read })
              if (!isWrite) continue
              const items = found.map(({ __KEY, __STAMP, log }) => ({
                __KEY,
                __STAMP,
                log: [...log, id],
              }))
              // Twice in one batch: the state between must never be visible.
              const first = { ...items[0]!, log: [...items[0]!.log.slice(0, -1), `${id} half`] }
              const second = { ...items[0]!, __STAMP: items[0]!.__STAMP + 1 }
              const body = [
                first,
                second,
                ...items.slice(1),
                ...(isRefused ? [{ __KEY: '1', balance: -1 }] : []),
              ]
              const { status } = await ask(rest, {
                method: 'POST',
                path: 'Account?$atomic=true',
                body,
                piece,
              })
              const isCommitted = status === 200
              if (isCommitted) appended++
              if (isRefused) expect(status).not.toBe(200)
              history.push({
                id,
                isCommitted,
                appended: keys,
                read: isCommitted ? read : new Map(),
              })
            }
          }
          await runAll(s, clients.map(run))
          const final = new Map([1, 2, 3].map((key) => [key, listOf(store, key)]))
          expect(anomalyIn(history, final)).toBeNull()
          for (const [key, list] of final)
            expect(store.Account.get(key)?.stamp).toBe(1 + 2 * list.length - shorter(history, key))
          // The stamps that one client sees never decrease.
          for (const seen of stampsSeen) expect(seen).toEqual([...seen].sort((a, b) => a - b))
          store.verify()
        },
      ),
      runs(30),
    )
    expect(appended).toBeGreaterThan(0)
  },
)

/** Appends that saved a key once: only the first of a batch is saved twice. */
const shorter = (history: readonly Done[], key: number): number =>
  history.filter(
    ({ isCommitted, appended }) =>
      isCommitted && appended.includes(key) && Math.min(...appended) !== key,
  ).length
