import { ReplicaState } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { type Outcome, replicate } from '../src/index.ts'
import { CLASSES, createOffice, PAUSES } from './office.ts'
import { createShop, opened as openTill } from './shop.ts'
import { countMarks, opened, run, server, step, untilSame, write } from './steps.ts'
import { until } from './waiting.ts'

const open = ({ db }: Pick<ReturnType<typeof createOffice>, 'db'>) =>
  replicate(db, { dataClasses: CLASSES, shapes: { Employee: true }, pauses: PAUSES })
const known = ({ store }: ReturnType<typeof createOffice>): number =>
  store[ReplicaState.name].query('not ID = "~@"').count

test('a replica that the server has forgotten goes on with new transactions', async () => {
  const office = createOffice()
  const replica = await open(office)
  await replica.transact((tx) => tx.Employee.insert({ name: 'Ann' }))
  await replica.current()
  expect(known(office)).toBe(1)
  office.cut()
  expect(await office.rest.expireReplicas({ days: 0 })).toBe(1)
  expect(known(office)).toBe(0)
  office.connect()
  await until(() => replica.state === 'current')
  const { outcome } = await replica.transact((tx) => tx.Employee.insert({ name: 'Bob' }))
  expect(await outcome).toMatchObject({ kind: 'applied' })
  expect(office.store.Employee.all().count).toBe(2)
  await replica.close()
})

test.each([
  ['an answer', 0],
  ['the stream', 1],
])(
  'a transaction whose answer was lost is a problem once its replica is forgotten, as %s says',
  async (_, lost) => {
    const office = createOffice()
    const replica = await open(office)
    await replica.transact((tx) => tx.Employee.insert({ name: 'Ann' }))
    await replica.current()
    office.cut()
    const { outcome } = await replica.transact((tx) => tx.Employee.insert({ name: 'Bob' }))
    const isThere = new Promise<void>((resolve) => {
      const stop = office.store.on('commit', () => {
        // The stream ends before it says so.
        office.cut()
        stop()
        resolve()
      })
    })
    office.connect()
    await isThere
    expect(await office.rest.expireReplicas({ days: 0 })).toBe(1)
    office.wire.lost = lost
    office.connect()
    expect(await outcome).toMatchObject({
      kind: 'problem',
      problem: { conflicts: [], errors: [{ code: 'replicaExpired' }] },
    })
    expect(office.store.Employee.query('name = Bob').count).toBe(1)
    const [problem] = replica.problems
    await replica.solve(problem!.number, 'theirs')
    const next = await replica.transact((tx) => tx.Employee.insert({ name: 'Cid' }))
    expect(await next.outcome).toMatchObject({ kind: 'applied' })
    expect(office.store.Employee.all().count).toBe(3)
    await replica.close()
  },
)

test('a new replica writes after others were forgotten', async () => {
  const office = createOffice()
  const first = await open(office)
  await first.transact((tx) => tx.Employee.insert({ name: 'Ann' }))
  await first.current()
  await first.close()
  await office.rest.expireReplicas({ days: 0 })
  const second = await open(office)
  const { outcome } = await second.transact((tx) => tx.Employee.insert({ name: 'Bob' }))
  expect(await outcome).toMatchObject({ kind: 'applied' })
  await second.close()
})

test('only replicas that have written nothing for so long are forgotten', async () => {
  const office = createOffice()
  const replica = await open(office)
  await replica.transact((tx) => tx.Employee.insert({ name: 'Ann' }))
  await replica.current()
  expect(await office.rest.expireReplicas({ days: 1 })).toBe(0)
  // More than one transaction removes.
  const met = new Date(Date.now() - 2 * 86_400_000)
  office.store.ReplicaState.load(Array.from({ length: 1200 }, (_, at) => ({ ID: `${at}`, met })))
  expect(await office.rest.expireReplicas({ days: 1 })).toBe(1200)
  expect(known(office)).toBe(1)
  await replica.close()
})

test('a replica that was forgotten leases other keys before it gives any', async () => {
  const shop = createShop()
  const till = await openTill(shop, 10)
  await till.replica.current()
  const first = await till.add('Tea')
  expect(await first.outcome).toMatchObject({ kind: 'applied' })
  till.cut()
  await shop.rest.expireReplicas({ days: 0 })
  till.connect()
  await until(() => till.replica.state === 'current')
  await till.replica.current()
  const second = await till.add('Milk')
  expect(await second.outcome).toMatchObject({ kind: 'applied' })
  expect(shop.store.Order.all().keys()).toEqual([1, 11])
  expect(till.errors).toEqual([])
  await till.replica.close()
})

test.each([[undefined], [{}], [{ days: -1 }], [{ days: '400' }], [{ days: 400, hours: 1 }]])(
  'expireReplicas(%j) is refused by name',
  async (options) => {
    const { rest } = createOffice()
    await expect(rest.expireReplicas(options as never)).rejects.toMatchObject({
      code: 'argumentInvalid',
    })
  },
)

const isExpired = (outcome: Outcome): boolean =>
  outcome.kind === 'problem' && outcome.problem.errors[0]?.code === 'replicaExpired'

test(
  'no transaction is applied twice, whenever the server forgets its replica',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 6 }),
        fc.array(fc.oneof({ weight: 6, arbitrary: step(true) }, fc.constant('forget' as const)), {
          maxLength: 20,
        }),
        async (before, steps) => {
          const office = createOffice()
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          const saved = new Map<string, number>()
          countMarks(office, saved)
          const all = [await opened(office, 0), await opened(office, 0)]
          // After the next transaction that is applied, replicas do not learn that it was.
          let mustCut = false
          let isCut = false
          office.store.on('commit', ({ changes }) => {
            if (!mustCut || !changes.some(({ dataClass }) => dataClass === 'ReplicaState')) return
            mustCut = false
            isCut = true
            for (const one of all) one.cut()
          })
          /** What was applied is gone: it would be saved again if it were applied again. */
          const forget = async (): Promise<void> => {
            isCut = false
            await office.rest.expireReplicas({ days: 0 })
            office.store.Employee.all().remove()
            for (const one of all) one.connect()
          }
          const sent: { readonly text: string; readonly outcome: Promise<Outcome> }[] = []
          for (const each of steps) {
            if (isCut) await forget()
            if (each === 'forget') mustCut = true
            else if (each.kind === 'local') {
              const text = `mine ${sent.length}`
              const { outcome } = await all[each.replica]!.replica.transact((tx) =>
                write(tx as never, each.write, text),
              )
              sent.push({ text, outcome })
            } else await run(office, all, each)
          }
          mustCut = false
          if (isCut) await forget()
          for (const one of all) one.connect()
          for (const { replica } of all) {
            await replica.current()
            for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
          }
          for (const { text, outcome } of sent) {
            const became = await outcome
            const times = saved.get(text) ?? 0
            if (became.kind === 'applied' || isExpired(became)) expect(times).toBeLessThan(2)
            else expect(times).toBe(0)
          }
          for (const one of all) {
            await one.replica.current()
            await untilSame(office.store, one)
            await one.replica.close()
          }
        },
      ),
      { ...runs(30) },
    )
  },
)
