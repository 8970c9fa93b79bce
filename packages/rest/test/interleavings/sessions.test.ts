import type { Session } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { ask, type BankOptions, bankSite, type Reply, START } from './bank-site.ts'
import { runAll, waitOf } from './schedule.ts'

function scheduledSite(s: fc.Scheduler, accounts: number, options: Partial<BankOptions> = {}) {
  const wait = waitOf(s)
  const site = bankSite({
    accounts,
    nextSlice: () => wait('slice'),
    pause: () => wait('function'),
    users: {
      login: async (name) => {
        await wait('login')
        return { ID: name, userName: name, fullName: name, groups: [] }
      },
    },
    authorize: async () => {
      await wait('authorize')
      return true
    },
    ...options,
  })
  return { ...site, wait, piece: () => wait('piece') }
}

const login = async (
  rest: ReturnType<typeof bankSite>['rest'],
  name: string,
  cookie: string | null,
): Promise<Reply> =>
  ask(rest, { method: 'POST', path: '$directory/login', body: [name, 'x'], cookie })

const acts = fc.array(fc.constantFrom('lock', 'update', 'batch', 'delete', 'read', 'set'), {
  minLength: 1,
  maxLength: 4,
})

test(
  'after the answer to a logout its session does nothing; a request in progress is done completely or not',
  patience,
  async () => {
    let savedAs = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        acts,
        fc.constantFrom('logout', 'expiry', 'closed by the application'),
        // A request waits for permission some twenty times.
        fc.nat(40),
        async (s, acts, ending, late) => {
          let isOver = false
          const onSave = (session: Session | null): void => {
            if (session !== null) expect(isOver).toBe(false)
            if (session !== null) savedAs++
          }
          const { rest, store, time, piece, wait } = scheduledSite(s, 600, { onSave })
          const [{ cookie }] = await runAll(s, [() => login(rest, 'ada', null)])
          expect(cookie).not.toBeNull()
          const id = store.sessions.list()[0]!.id
          let held = 0
          const holder = (): boolean => store.locks.holder('Account', 1) !== null
          const act = (kind: string, at: number) => async (): Promise<void> => {
            const key = at + 2
            const asked = {
              lock: { path: 'Account(1)?$lock=true' },
              update: { method: 'POST', path: 'Account', body: { __KEY: String(key), balance: 7 } },
              batch: {
                method: 'POST',
                path: 'Account',
                body: Array.from({ length: 560 }, (_, i) => ({
                  __KEY: String(i + 10),
                  balance: START + 1 + at,
                })),
              },
              delete: { method: 'DELETE', path: `Account(${key})` },
              read: { path: 'Account?$top=600&$attributes=ID,balance' },
              set: { path: 'Account?$method=entityset&$top=1' },
            }[kind]!
            const reported = await ask(rest, { ...asked, cookie, piece })
            if (kind === 'read') {
              expect([200, 401]).toContain(reported.status)
              if (reported.status === 200)
                expect(reported.body.__ENTITIES).toHaveLength(reported.body.__COUNT)
            }
            if (kind === 'update') {
              expect([200, 401]).toContain(reported.status)
              expect(store.Account.get(key)?.balance).toBe(reported.status === 200 ? 7 : START)
            }
            if (kind === 'delete') expect(store.Account.has(key)).toBe(reported.status !== 200)
            if (kind === 'batch') {
              // The items are independent: each reports what was saved.
              const items: { __STATUS: { success: boolean } }[] = reported.body.__ENTITIES ?? []
              const saved = items.filter(({ __STATUS }) => __STATUS.success).length
              expect(reported.status).toBe(saved === 560 ? 200 : saved === 0 ? 401 : 207)
            }
            if (kind === 'lock' && reported.status === 200 && reported.body.result) held++
          }
          const end = async (): Promise<void> => {
            for (let i = 0; i <= late; i++) await wait('end')
            if (ending === 'logout')
              await ask(rest, { method: 'POST', path: '$directory/logout', cookie })
            else if (ending === 'expiry') time.now += 3_600_000
            else store.sessions.end(id)
            isOver = true
          }
          await runAll(s, [...acts.map(act), end])
          // Only requests without the session may have opened another one.
          expect(store.sessions.list().filter((one) => one.id === id)).toEqual([])
          if (holder()) expect(store.locks.holder('Account', 1)?.id).not.toBe(id)
          expect(held).toBeLessThanOrEqual(acts.length)
          store.verify()
        },
      ),
      runs(25),
    )
    expect(savedAs).toBeGreaterThan(0)
  },
)

test(
  'with concurrent logins and logouts every cookie leads to its own session or to none',
  patience,
  async () => {
    const steps = fc.array(fc.constantFrom('ada', 'bob', 'logout', 'lock', 'who'), {
      minLength: 2,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), steps, fc.boolean(), async (s, steps, isGuest) => {
        const { rest, store } = scheduledSite(s, 3)
        // They all come from one client, with the cookie that it has.
        const [first] = await runAll(s, [
          () => (isGuest ? ask(rest, { path: 'Account(2)?$lock=true' }) : login(rest, 'ada', null)),
        ])
        const { cookie } = first!
        const reported = await runAll(
          s,
          steps.map((step) => async (): Promise<readonly [string, Reply]> => {
            if (step === 'logout')
              return [step, await ask(rest, { method: 'POST', path: '$directory/logout', cookie })]
            if (step === 'lock')
              return [step, await ask(rest, { path: 'Account(1)?$lock=true', cookie })]
            if (step === 'who')
              return [step, await ask(rest, { path: '$directory/currentUser', cookie })]
            return [step, await login(rest, step, cookie)]
          }),
        )
        const tokens = new Set<string>()
        for (const [step, { status, body, cookie: given }] of reported) {
          expect([200, 401]).toContain(status)
          if (step === 'who' && body.result !== null)
            expect(['ada', 'bob']).toContain(body.result?.ID)
          if (step !== 'ada' && step !== 'bob') continue
          expect([status, body.result]).toEqual([200, true])
          expect(tokens.has(given!)).toBe(false)
          tokens.add(given!)
          const [now] = await runAll(s, [
            () => ask(rest, { path: '$directory/currentUser', cookie: given }),
          ])
          // Replaced by a later login, or ended by a logout; else it is this very user.
          if (now!.body.result !== null) expect(now!.body.result.ID).toBe(step)
        }
        // A user's session never has the locks of another's: at most one session holds each.
        for (const key of [1, 2]) {
          const holder = store.locks.holder('Account', key)
          if (holder !== null)
            expect(store.sessions.list().map(({ id }) => id)).toContain(holder.id)
        }
      }),
      runs(40),
    )
  },
)

test(
  'a read of a set that others create, release and evict is complete or reports a missing set',
  patience,
  async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('read', 'members', 'release', 'make'), {
          minLength: 2,
          maxLength: 5,
        }),
        async (s, steps) => {
          const { rest, store, time } = scheduledSite(s, 600, { maxSets: 2 })
          const id = store.entitySets.create(store.Account.query('ID > 10'))
          time.pace = 1
          const act = (step: string) => async (): Promise<void> => {
            const set = `Account/$entityset/${id}`
            if (step === 'make') await ask(rest, { path: 'Account?$method=entityset&$top=1' })
            else if (step === 'release') {
              const { status } = await ask(rest, { path: `${set}?$method=release` })
              expect([200, 404]).toContain(status)
            } else {
              const filter =
                step === 'read'
                  ? `$filter="balance = ${START}"&$orderby=email,ID&$top=1`
                  : '$top=600'
              const { status, body } = await ask(rest, { path: `${set}?${filter}` })
              if (status === 200) found++
              if (status === 200) expect(body.__COUNT).toBe(590)
              if (status === 200 && step === 'members') expect(body.__ENTITIES).toHaveLength(590)
              if (status !== 200) expect([status, body.__ERROR[0].errCode]).toEqual([404, 1802])
            }
            expect(store.entitySets.size).toBeLessThanOrEqual(2)
          }
          await runAll(s, steps.map(act))
        },
      ),
      runs(25),
    )
    expect(found).toBeGreaterThan(0)
  },
)

test('a batch and a deletion whose session ends between two time slices report the outcome of every item', async () => {
  for (const method of ['POST', 'DELETE']) {
    const { rest, store } = bankSite({
      accounts: 600,
      users: [{ name: 'ada', password: 'x' }],
      nextSlice: async () => {
        // Between the first and the second time slice that write.
        if (store.globalStamp > 1)
          for (const { id } of store.sessions.list()) store.sessions.end(id)
      },
    })
    const { cookie } = await login(rest, 'ada', null)
    const body = Array.from({ length: 560 }, (_, i) => ({
      __KEY: String(i + 1),
      ...(method === 'POST' && { balance: 7 }),
    }))
    const reported = await ask(rest, { method, path: 'Account', body, cookie })
    expect(reported.status).toBe(207)
    const items: { __STATUS: { success: boolean } }[] = reported.body.__ENTITIES
    const done = items.map(({ __STATUS }) => __STATUS.success)
    expect(done).toEqual(items.map((_, at) => at < 250))
    const changed =
      method === 'POST'
        ? store.Account.query('balance = 7').keys()
        : [...Array(250).keys()].map((i) => i + 1)
    expect(changed).toEqual([...Array(250).keys()].map((i) => i + 1))
    expect(store.Account.count).toBe(method === 'POST' ? 600 : 350)
  }
})
