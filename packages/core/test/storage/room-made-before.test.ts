import { expect, test } from 'vitest'
import { NumberIndex } from '../../src/storage/block-index.ts'
import { Dictionary } from '../../src/storage/dictionary.ts'
import { HashIndex } from '../../src/storage/hash-index.ts'
import { PostingLists } from '../../src/storage/posting-lists.ts'
import type { Table } from '../../src/storage/table.ts'
import { TableLoad } from '../../src/storage/table-load.ts'
import { dice, upTo } from './dice.ts'
import { indexOf } from './people-table.ts'
import { admitAll, firmTables, mustHave, personRow, put, recordsOf, rowOf } from './plain-tables.ts'

// Memory is reserved before a write so that the write itself cannot fail: in these tests no memory
// is left after the reservation.

const VECTORS = { Int32Array, Float64Array, Uint32Array, Uint16Array }

/** A class whose constructor throws; existing vectors are still instances of it. */
const exhausted = (vector: (typeof VECTORS)[keyof typeof VECTORS]) =>
  class {
    static [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof vector
    }
    constructor() {
      throw new RangeError('out of memory')
    }
  }

/** Runs a function that must not allocate vectors: an allocation throws. */
function withoutMemory<T>(run: () => T): T {
  const none = Object.entries(VECTORS).map(([name, vector]) => [name, exhausted(vector)] as const)
  try {
    Object.assign(globalThis, Object.fromEntries(none))
    return run()
  } finally {
    Object.assign(globalThis, VECTORS)
  }
}

test('`withoutMemory` refuses new vectors, and only while its function runs', () => {
  expect(() => withoutMemory(() => new Int32Array(1))).toThrow('out of memory')
  expect(new Int32Array(1)).toHaveLength(1)
})

test('a posting list takes as many members as were reserved without allocating memory', () => {
  for (const members of [1, 3, 4, 5, 40])
    for (const list of [0, 3, 15, 16, 40]) {
      const lists = new PostingLists()
      for (let i = 0; i < 100; i++) lists.insert(i % 7, i)
      lists.reserve(list, members)
      withoutMemory(() => {
        for (let i = 0; i < members; i++) lists.insert(list, 1000 + i)
      })
      expect(lists.has(list, 999 + members)).toBe(true)
    }
})

test('an ordered index takes as many entries as were reserved, whether it is empty or its blocks are full', () => {
  for (const present of [0, 5, 512, 3000, 6000]) {
    const index = new NumberIndex()
    for (const slot of upTo(present)) index.insert(slot, slot)
    for (let i = 0; i < 40; i++) {
      index.reserve(1)
      withoutMemory(() => index.insert((i * 997) % 6000, 10_000 + i))
    }
    index.reserve(2000)
    withoutMemory(() => {
      for (let i = 0; i < 2000; i++) index.insert((i * 7919) % 6000, 20_000 + i)
    })
    expect(index.size).toBe(present + 2040)
  }
})

test('a hash takes as many numbers and texts as were reserved', () => {
  const texts = upTo(900).map((i) => `t${i}`)
  const hash = new HashIndex((slot) => texts[slot])
  for (const extra of [1, 24, 25, 26, 300]) {
    const { size } = hash
    hash.reserveTexts(extra)
    withoutMemory(() => {
      for (let i = 0; i < extra; i++) hash.set(texts[size + i], size + i)
    })
    expect(hash.size).toBe(size + extra)
  }
  const numbers = new HashIndex(() => null)
  numbers.reserve(5000, 2000)
  withoutMemory(() => {
    for (let i = 1; i <= 2000; i++) numbers.set(i * 2 + 1000, i)
  })
  expect([numbers.find(5000), numbers.size]).toEqual([2000, 2000])
})

test('the order of a dictionary is built once and then kept', () => {
  const dictionary = new Dictionary('exact')
  for (const i of upTo(100)) dictionary.admit(`w${i}`)
  dictionary.order()
  expect(withoutMemory(() => dictionary.order().count)).toBe(100)
})

/** Writes through columns and indexes; room in the hash of keys is reserved separately. */
function write(table: Table, slot: number, row: ReturnType<typeof rowOf>, key: number): void {
  table.reserve(slot + 1)
  admitAll(table, row)
  table.keys.reserve(5000, 5000)
  for (const index of table.indexes) index?.unique?.reserveTexts(1)
  withoutMemory(() => table.insertAt(slot, row, 1, key, key))
}

test('writing a record whose values were admitted allocates no memory, for any columns and indexes', () => {
  const roll = dice(3)
  const table = firmTables()[1]
  table.sequence = 10_000
  for (let key = 1; key <= 300; key++) {
    const row = [...personRow(table, key, roll)]
    if (key > 150)
      for (const [ordinal, value] of rowOf(table, {
        firmID: key,
        mentor: key,
        name: `n${key}`,
      }).entries())
        row[ordinal] = value ?? row[ordinal]
    write(table, table.lowestFree, row, key)
  }
  mustHave(table, recordsOf(table))
  expect(indexOf(table, 'firmID').listOfValue(300)).toBeGreaterThan(0)
})

test('updating a record to admitted values, or removing it, allocates no memory', () => {
  const roll = dice(4)
  const table = firmTables()[1]
  for (const key of upTo(200)) put(table, personRow(table, key + 1, roll), key + 1)
  const keyAt = table.model.key.ordinal
  const ordinals = upTo(table.columns.length).filter((at) => at !== keyAt)
  for (const slot of upTo(200)) {
    const row = personRow(table, slot + 1, roll)
    admitAll(table, row)
    for (const index of table.indexes) index?.unique?.reserveTexts(1)
    withoutMemory(() =>
      table.updateAt(
        slot,
        ordinals,
        ordinals.map((at) => row[at]),
        2,
        5,
      ),
    )
  }
  mustHave(table, recordsOf(table))
  for (const slot of upTo(200)) {
    const values = table.readAll(slot)
    withoutMemory(() => table.removeAt(slot, values))
  }
  mustHave(table, new Map())
})

test('loading a few prepared records allocates no memory, whichever of them has the highest key', () => {
  for (const isFalling of [false, true]) {
    const table = firmTables()[1]
    for (const key of upTo(100)) put(table, rowOf(table, { ID: key + 1 }), key + 1)
    const keys = upTo(10).map((i) => 1100 + (isFalling ? 9 - i : i))
    const rows = keys.map((key) =>
      rowOf(table, { ID: key, name: `new ${key}`, pay: key, firmID: key, mentor: 1 }),
    )
    const columns = table.columns.map((_, ordinal) => rows.map((row) => row[ordinal]))
    const load = new TableLoad(table, table.nextSlots(10), columns)
    load.prepare()
    let clock = 500
    withoutMemory(() => load.write(1, () => ++clock))
    table.sequence = 2000
    mustHave(table, recordsOf(table))
    expect(keys.map((key) => table.findKey(key))).toEqual(upTo(10).map((i) => 100 + i))
  }
})
