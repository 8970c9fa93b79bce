import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, openDump } from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import type { TabOptions } from '../src/index.ts'
import { createShop, opened, SHOP } from './shop.ts'
import { until } from './waiting.ts'

const leasedOf = (store: AnyDataStore, replica: string): unknown =>
  (store.dataClass('ReplicaState').get(replica) as { leased?: unknown } | undefined)?.leased
const idsOf = (store: AnyDataStore): readonly string[] =>
  store.dataClass('ReplicaState').all().keys() as never

test('keys are taken from the block without a connection, and a named error ends them', async () => {
  const shop = createShop()
  shop.store.Order.insert({ text: 'first' })
  const one = await opened(shop, 4)
  await one.replica.current()
  one.cut()
  const numbers = []
  for (let at = 0; at < 4; at++) numbers.push((await one.add(`${at}`)).result)
  expect(numbers).toEqual([2, 3, 4, 5])
  await expect(one.add('none')).rejects.toMatchObject({
    code: 'keysUsedUp',
    message: expect.stringContaining('wait for current()'),
  })
  expect(one.replica.store.Order.all().count).toBe(5)
  expect(shop.store.Order.insert({ text: 'server' }).ID).toBe(6)
  one.connect()
  await one.replica.current()
  expect(shop.store.Order.all().orderBy('ID').keys()).toEqual([1, 2, 3, 4, 5, 6])
  expect((await one.add('next')).result).toBe(7)
  await one.replica.current()
  expect(shop.store.Order.insert({ text: 'server' }).ID).toBe(11)
  one.replica.store.verify()
  shop.store.verify()
  await one.replica.close()
})

test('two replicas and the server never give one key, and a block is asked for when half is used', async () => {
  const shop = createShop()
  const [one, two] = [await opened(shop, 4), await opened(shop, 4)]
  for (const { replica } of [one, two]) await replica.current()
  one.cut()
  two.cut()
  expect((await one.add('a')).result).toBe(1)
  expect((await two.add('b')).result).toBe(5)
  one.connect()
  two.connect()
  await one.replica.current()
  await two.replica.current()
  const [id] = idsOf(shop.store)
  expect(leasedOf(shop.store, id!)).toEqual({ Order: [[1, 4]] })
  await one.add('c')
  await one.replica.current()
  expect(leasedOf(shop.store, id!)).toEqual({
    Order: [
      [1, 4],
      [9, 12],
    ],
  })
  one.cut()
  const more = []
  for (let at = 0; at < 6; at++) more.push((await one.add('d')).result)
  expect(more).toEqual([3, 4, 9, 10, 11, 12])
  one.connect()
  await one.replica.current()
  // The first block has no key left that may still arrive.
  expect(leasedOf(shop.store, id!)).toEqual({ Order: [[13, 16]] })
  for (const { replica } of [one, two]) await replica.close()
})

test('a transaction that is rolled back gives no key away', async () => {
  const shop = createShop()
  const { replica, add } = await opened(shop, 10)
  await replica.current()
  await expect(
    replica.transact((tx) => {
      tx.Order.insert({ text: 'x' })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect((await add('y')).result).toBe(1)
  await replica.close()
})

test('without a lease and with a key of somebody else an insertion is refused here', async () => {
  const shop = createShop()
  const { replica } = await opened(shop, 10)
  await replica.current()
  await expect(
    replica.transact((tx) => tx.Order.insert({ ID: 11, text: 'x' })),
  ).rejects.toMatchObject({ code: 'keysUsedUp', message: expect.stringContaining('key 11') })
  await replica.transact((tx) => tx.Order.insert({ ID: 4, text: 'x' }))
  expect((await replica.transact((tx) => tx.Order.insert({ text: 'x' }).ID)).result).toBe(5)
  await replica.current()
  const bare = await opened(shop, 10, { lease: {} })
  await expect(bare.add('x')).rejects.toMatchObject({
    code: 'keysUsedUp',
    message: expect.stringContaining('lease: { Order: 100 }'),
  })
  await replica.close()
  await bare.replica.close()
})

test.each([
  [{ Order: 0 }, 'from 1 to 10000'],
  [{ Order: 10_001 }, 'from 1 to 10000'],
  [{ Order: '5' }, 'from 1 to 10000'],
  [{ Note: 5 }, 'no such dataclass'],
  [{ Nothing: 5 }, 'no such dataclass'],
  [7, 'The option lease'],
])('the option lease is refused by name: %j', async (lease, text) => {
  await expect(opened(createShop(), 1, { lease })).rejects.toThrow(text)
})

test('who may not create entities gets no keys, and is told so', async () => {
  const shop = createShop({
    identify: () => ({ ID: 'ann', userName: 'ann', fullName: 'Ann' }),
    authorize: ({ action }) => action !== 'create',
  })
  const { replica, add, errors } = await opened(shop, 10)
  await replica.current()
  expect(errors).toMatchObject([
    { code: 'leaseRefused', message: expect.stringContaining('No permission to create') },
  ])
  await expect(add('x')).rejects.toMatchObject({
    code: 'keysUsedUp',
    message: expect.stringContaining('No permission to create'),
  })
  expect(shop.store.Order.insert({ text: 'server' }).ID).toBe(1)
  await replica.close()
})

test('a block whose answer is lost is sent again, and numbers are not leased twice', async () => {
  const shop = createShop()
  const { replica } = await opened(shop, 4, { lost: 2 })
  await replica.current()
  expect(idsOf(shop.store).map((id) => leasedOf(shop.store, id))).toEqual([{ Order: [[1, 4]] }])
  await replica.close()
})

test('a server that was restored from before the lease refuses its keys as a problem, and leases others', async () => {
  const shop = createShop()
  const backup = shop.store.dump()
  let { rest } = shop
  const one = await opened(
    { rest: { fetch: (request: Request) => rest.fetch(request) } as never },
    4,
  )
  await one.replica.current()
  one.cut()
  const sent = await one.add('mine')
  const restored = openDump(backup, SHOP)
  restored.Order.insert({ text: 'theirs' })
  rest = createRestHandler(restored, { replicas: true })
  one.connect()
  const outcome = await sent.outcome
  expect(outcome).toMatchObject({ kind: 'problem' })
  expect(JSON.stringify(outcome)).toContain('keyNotLeased')
  await one.replica.solve(sent.number, 'theirs')
  await one.replica.current()
  const again = await one.add('again')
  expect((await again.outcome).kind).toBe('applied')
  await until(() => restored.Order.query('text = again').count === 1)
  expect(restored.Order.get(1)?.text).toBe('theirs')
  await one.replica.close()
})

/** A server that can be put back to a backup, whose answers to requests for keys can be late. */
function restorable() {
  const shop = createShop()
  let { rest } = shop
  let { store } = shop
  const backup = shop.store.dump()
  const late: (() => void)[] = []
  const server = {
    isLate: false,
    leases: 0,
    rest: {
      fetch: async (request: Request) => {
        const isLease = /batches$/.test(request.url) && /"lease"/.test(await request.clone().text())
        if (isLease) server.leases++
        const answer = await rest.fetch(request)
        if (isLease && server.isLate) await new Promise<void>((resolve) => late.push(resolve))
        return answer
      },
    } as never,
    late,
    get store() {
      return store
    },
    putBack() {
      rest.endStreams()
      store = openDump(backup, SHOP)
      rest = createRestHandler(store, { replicas: true })
    },
  }
  return server
}

test('a late answer of the server before it was put back brings no keys', async () => {
  const server = restorable()
  server.isLate = true
  const one = await opened(server, 4)
  await until(() => server.late.length === 1)
  server.isLate = false
  server.putBack()
  const theirs = server.store.Order.insert({ text: 'theirs' }).ID
  await until(() => one.replica.store.Order.all().count === 1)
  for (const arrive of server.late) arrive()
  await one.replica.current()
  const sent = await one.add('mine')
  expect(sent.result).toBeGreaterThan(theirs)
  expect((await sent.outcome).kind).toBe('applied')
  await one.replica.close()
})

test('a server that was put back far behind the keys of a replica leases from its own sequence', async () => {
  const server = restorable()
  const one = await opened(server, 100)
  for (let at = 0; at < 120; at++) {
    if (at % 40 === 0) await one.replica.current()
    await one.add(`${at}`)
  }
  await one.replica.current()
  server.leases = 0
  server.putBack()
  await until(() => one.replica.store.Order.all().count === 0)
  await one.replica.current()
  expect(server.leases).toBe(1)
  const sent = await one.add('after')
  expect(sent.result).toBe(1)
  expect((await sent.outcome).kind).toBe('applied')
  await one.replica.close()
})

test('keys that another instance has not confirmed are asked for again at the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-leases-'))
  const keep = (store: AnyDataStore) => openJournal(store, folder)
  const server = restorable()
  const first = await opened(server, 4, { keep })
  await first.replica.current()
  server.isLate = true
  server.putBack()
  expect(server.store.Order.insert({ text: 'theirs' }).ID).toBe(1)
  await until(() => first.replica.store.Order.all().count === 1)
  await first.replica.close()
  server.isLate = false
  const second = await opened(server, 4, { keep })
  await second.replica.current()
  const sent = await second.add('mine')
  expect(sent.result).toBe(2)
  expect((await sent.outcome).kind).toBe('applied')
  await second.replica.close()
  await rm(folder, { recursive: true })
})

test('a key below one that was given is refused, since the server may have forgotten its block', async () => {
  const shop = createShop()
  const { replica, add } = await opened(shop, 10)
  await replica.current()
  await replica.transact((tx) => tx.Order.insert({ ID: 6, text: 'x' }))
  await expect(
    replica.transact((tx) => tx.Order.insert({ ID: 5, text: 'y' })),
  ).rejects.toMatchObject({ code: 'keysUsedUp' })
  expect((await add('z')).result).toBe(7)
  await replica.current()
  expect(replica.problems.count).toBe(0)
  await replica.close()
})

test('keys that are leased are not given by a server that reads its journal again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-leases-'))
  const { store, rest } = createShop()
  const journal = await openJournal(store, folder)
  const one = await opened({ rest }, 10)
  await one.replica.current()
  await one.replica.close()
  await journal.close()
  const again = createShop()
  const reopened = await openJournal(again.store, folder)
  expect(again.store.Order.insert({ text: 'server' }).ID).toBe(11)
  await reopened.close()
  await rm(folder, { recursive: true })
})

const hasKeys = (store: AnyDataStore): boolean =>
  JSON.stringify(store.dataClass('ReplicaPlace').get('place')).includes('"blocks"')

test('the tabs of a browser share the keys, also after another one takes the stream', async () => {
  const browser = new MemoryBrowser()
  const shop = createShop()
  const open = () => {
    const { ports } = browser.openTab()
    return opened(shop, 6, {
      keep: (store: AnyDataStore, tab: TabOptions) =>
        openBrowserJournal(store, 'shop', { ...tab, onError: () => undefined }, ports),
    })
  }
  const [first, second] = [await open(), await open()]
  await first.replica.current()
  await until(() => hasKeys(second.replica.store))
  first.cut()
  const given = []
  for (let at = 0; at < 6; at++) given.push((await (at % 2 ? first : second).add(`${at}`)).result)
  expect(given).toEqual([1, 2, 3, 4, 5, 6])
  await expect(second.add('none')).rejects.toMatchObject({ code: 'keysUsedUp' })
  // The answer arrives at a tab that is gone.
  first.wire.lost = 1
  first.connect()
  await until(() => first.wire.lost === 0)
  await first.replica.close()
  await until(() => second.wire.sent.length === 1)
  await second.replica.current()
  expect((await second.add('next')).result).toBe(7)
  await second.replica.current()
  expect(shop.store.Order.all().orderBy('ID').keys()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect([second.replica.problems.count, second.errors]).toEqual([0, []])
  await second.replica.close()
})

test('keys are kept on the device, also beside higher ones of others, and forgotten with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-leases-'))
  const shop = createShop()
  const keep = (store: AnyDataStore) => openJournal(store, folder)
  const open = (isUp: boolean) => opened(shop, 4, { isUp, keep })
  const first = await open(true)
  await first.replica.current()
  expect((await first.add('a')).result).toBe(1)
  shop.store.Order.insert({ text: 'server' })
  await until(() => first.replica.store.Order.all().count === 2)
  await first.replica.current()
  await first.replica.close()
  const second = await open(false)
  expect(second.replica.store.Order.all().orderBy('ID').keys()).toEqual([1, 5])
  expect((await second.add('b')).result).toBe(2)
  second.connect()
  await second.replica.current()
  await second.replica.forget()
  const third = await open(true)
  await third.replica.current()
  expect((await third.add('c')).result).toBeGreaterThan(5)
  await third.replica.forget({ drop: true })
  await rm(folder, { recursive: true })
})
