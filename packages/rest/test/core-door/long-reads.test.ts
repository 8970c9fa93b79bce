import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, expect, test } from 'vitest'
import { CallerStore } from '../../src/core-door/caller-store.ts'
import { LongReads } from '../../src/core-door/long-reads.ts'
import { Names } from '../../src/door/names.ts'
import { hostTurn } from '../../src/door/turns.ts'

const Leaf = defineDataClass('Leaf', { ID: attribute.long({ key: true }) })
const store = createDataStore({ name: 'tree', dataClasses: [Leaf] })
const caller = { session: null, access: null, names: new Names(store.catalog, null) }
const seen = new CallerStore(store, caller, store.view({ exposedOnly: true }))

let long: LongReads
let events: string[]
beforeEach(() => {
  long = new LongReads(store, hostTurn)
  events = []
})

const takeTurns = async (name: string): Promise<void> => {
  for (const part of ['begins', 'goes on', 'ends']) {
    events.push(`${name} ${part}`)
    await hostTurn()
  }
}
const read = (name: string): Promise<void> => long.during(() => takeTurns(name))
const write = (name: string): Promise<void> => Promise.resolve(long.write(seen, () => void events.push(name)))
const writeLong = (name: string): Promise<void> => long.alone(() => takeTurns(name))
const whole = (name: string): string[] => [`${name} begins`, `${name} goes on`, `${name} ends`]

test('a write that waited behind a long read waits for that one too', async () => {
  await Promise.all([read('first'), write('a'), read('second'), write('b')])
  expect(events).toEqual([...whole('first'), 'a', ...whole('second'), 'b'])
})

test('of long writes that waited together, one is made after the other', async () => {
  await Promise.all([read('first'), writeLong('a'), writeLong('b'), write('c')])
  expect(events.slice(0, 6)).toEqual([...whole('first'), ...whole('a')])
  expect(events.slice(6).filter((event) => event !== 'c')).toEqual(whole('b'))
  expect(events).toContain('c')
})

test('a long read that fails lets the writes go on', async () => {
  const failing = long.during(async () => {
    await hostTurn()
    throw new Error('no')
  })
  const written = write('a')
  await expect(failing).rejects.toThrow('no')
  await written
  expect(events).toEqual(['a'])
})
