import { describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { StorageAttribute } from '../../src/model/catalog.ts'
import { WordAllocator } from '../../src/storage/bitset-kernel.ts'
import { NULL_INT, NumberColumn, WordColumn } from '../../src/storage/column.ts'
import { TextHash } from '../../src/storage/hash-index.ts'
import { SlotMap } from '../../src/write/staged-values.ts'

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})
const { storage } = buildCatalog({ name: 'things', dataClasses: [Thing] }).classes[0]
const [long, text] = storage as readonly [StorageAttribute, StorageAttribute]

describe('a column of numbers of 32 bits', () => {
  test('widens for the value that encodes null, and for larger ones, and keeps its values', () => {
    for (const wide of [NULL_INT, 2 ** 31, -(2 ** 40)]) {
      const column = new NumberColumn(long)
      column.reserve(3)
      column.write(0, 7)
      column.write(1, null)
      expect(column.data).toBeInstanceOf(Int32Array)
      column.admit(wide)
      column.write(2, wide)
      expect([column.read(0), column.read(1), column.read(2)]).toEqual([7, null, wide])
      column.reserve(5)
      expect([column.read(2), column.read(3)]).toEqual([wide, null])
      column.writeAll(new Int32Array([0, 3]), [null, wide])
      expect([column.read(0), column.read(3)]).toEqual([null, wide])
      expect(column.copy().read(3)).toBe(wide)
    }
  })
})

describe('a column of words', () => {
  test('holds more words than 16 bits can number', () => {
    const column = new WordColumn(text)
    column.reserve(2)
    for (let i = 0; i < 66_000; i++) column.admit(`word ${i}`)
    column.write(0, 'word 1')
    column.write(1, 'word 65999')
    column.reserve(4)
    expect([column.read(0), column.read(1), column.read(2)]).toEqual(['word 1', 'word 65999', null])
    expect(column.codes).toBeInstanceOf(Uint32Array)
  })
})

test('texts beyond the searched buckets are found, changed and listed like the others', () => {
  const texts = Array.from({ length: 1200 }, (_, i) => `text ${i}`)
  const hash = new TextHash(
    (slot) => texts[slot % 1200],
    () => 7,
  )
  for (const [slot, each] of texts.entries()) hash.set(each, slot)
  for (const [slot, each] of texts.entries()) hash.set(each, slot + 1200)
  expect(hash.size).toBe(1200)
  for (const [slot, each] of texts.entries()) expect(hash.find(each)).toBe(slot + 1200)
  expect(new Map(hash.entries())).toEqual(new Map(texts.map((each, slot) => [each, slot + 1200])))
})

test('a cleared map of record numbers is empty, whether it was small or large', () => {
  const map = new SlotMap()
  for (const many of [10, 70_000, 10]) {
    for (let slot = 0; slot < many; slot++) map.set(slot, slot + 1)
    expect([map.find(0), map.find(many - 1), map.find(many)]).toEqual([1, many, -1])
    map.clear()
    for (const slot of [0, many - 1]) expect(map.find(slot)).toBe(-1)
  }
})

test('allocated words are zero and not shared, however many are allocated', () => {
  const allocator = new WordAllocator(() => null)
  const taken = [8, 20_000, 8, 60_000, 16_384, 1].map((words) => allocator.take(words))
  for (const words of taken) {
    expect(words.every((word) => word === 0)).toBe(true)
    words.fill(-1)
  }
  expect(taken.map(({ length }) => length)).toEqual([8, 20_000, 8, 60_000, 16_384, 1])
  expect(allocator.kernel).toBe(null)
})
