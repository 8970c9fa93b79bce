import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, openDump } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
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
