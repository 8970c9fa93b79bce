import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, expect, test } from 'vitest'
import { Names } from '../../src/interface/names.ts'
import { hostNextSlice } from '../../src/interface/time-slices.ts'
import { CallerStore } from '../../src/memory/caller-store.ts'
import { LongReads } from '../../src/memory/long-reads.ts'

const Leaf = defineDataClass('Leaf', { ID: attribute.long({ key: true }) })
const store = createDataStore({ name: 'tree', dataClasses: [Leaf] })
const caller = { session: null, access: null, names: new Names(store.catalog, null) }
const callerStore = new CallerStore(store, caller, store.view({ exposedOnly: true }))

let long: LongReads
let events: string[]
beforeEach(() => {
  long = new LongReads(store, hostNextSlice)
  events = []
})

const takeTurns = async (name: string): Promise<void> => {
  for (const part of ['begins', 'goes on', 'ends']) {
    events.push(`${name} ${part}`)
    await hostNextSlice()
  }
}
const read = (name: string): Promise<void> => long.during(() => takeTurns(name))
const write = (name: string): Promise<void> =>
  Promise.resolve(long.write(callerStore, () => void events.push(name)))
const writeLong = (name: string): Promise<void> => long.alone(() => takeTurns(name))
const whole = (name: string): string[] => [`${name} begins`, `${name} goes on`, `${name} ends`]

test('a write waits for the running long reads, and precedes those that wait', async () => {
  await Promise.all([read('first'), write('a'), read('second'), write('b')])
  expect(events).toEqual([...whole('first'), 'a', 'b', ...whole('second')])
})

test('a write that waited answers before the next one writes', async () => {
  const writeAndAnswer = (name: string) =>
    long.inTurn(async (own) => {
      own.write(callerStore, () => void events.push(name))
      await null
      events.push(`${name} answers`)
    })
  await Promise.all([read('first'), writeAndAnswer('a'), writeAndAnswer('b'), write('c')])
  expect(events).toEqual([...whole('first'), 'a', 'a answers', 'b', 'b answers', 'c'])
})

test('a write waits for at most two of many long reads, and a read runs after writes', async () => {
  const reads = Array.from({ length: 50 }, (_, at) => read(`${at}`))
  await Promise.all([...reads, write('a'), read('last'), write('b')])
  const ended = events.slice(0, events.indexOf('a')).filter((event) => event.endsWith('ends'))
  expect([ended.length, events.indexOf('b') - events.indexOf('a')]).toEqual([2, 1])
  expect(events.filter((event) => event.endsWith('ends'))).toHaveLength(51)
  // Continuous writes do not block reads.
  events = []
  const writing = (async () => {
    for (let at = 0; at < 20; at++) await write(`w${at}`)
  })()
  await Promise.all([read('x'), writing, read('y'), read('z')])
  expect(events.filter((event) => event.endsWith('ends'))).toHaveLength(3)
  expect(events.filter((event) => event.startsWith('w'))).toHaveLength(20)
})

test('long reads beyond the limit of waiting ones are refused; those of disconnected clients leave the queue', async () => {
  long = new LongReads(store, hostNextSlice, 3)
  const isGone = { value: false }
  const some = Array.from({ length: 5 }, (_, at) =>
    long.during(() => takeTurns(`${at}`), { ...caller, isGone: () => isGone.value }),
  )
  const outcomes = Promise.allSettled(some)
  await expect(read('sixth')).rejects.toMatchObject({ code: 'serverBusy', details: { limit: 3 } })
  isGone.value = true
  await read('seventh')
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ])
  expect(events).toContain('seventh ends')
})

test('long writes that waited together run one after the other', async () => {
  await Promise.all([read('first'), writeLong('a'), writeLong('b'), write('c')])
  expect(events.slice(0, 6)).toEqual([...whole('first'), ...whole('a')])
  expect(events.slice(6).filter((event) => event !== 'c')).toEqual(whole('b'))
  expect(events).toContain('c')
})

test('a long read does not begin during a long write', async () => {
  await Promise.all([writeLong('a'), read('first'), write('b'), read('second')])
  expect(events.slice(0, 3)).toEqual(whole('a'))
})

test('writes continue after a long read that fails', async () => {
  const failing = long.during(async () => {
    await hostNextSlice()
    throw new Error('no')
  })
  const written = write('a')
  await expect(failing).rejects.toThrow('no')
  await written
  expect(events).toEqual(['a'])
})
