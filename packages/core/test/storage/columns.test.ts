import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import { BitsetKernel, WordAllocator } from '../../src/storage/bitset-kernel.ts'
import { WordColumn } from '../../src/storage/column.ts'
import { SlotMap } from '../../src/write/staged-values.ts'
import { upTo } from './dice.ts'

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})
const text = buildCatalog({ name: 'things', dataClasses: [Thing] }).classes[0].storage[1]

test('a column of words holds more words than 16 bits can number', () => {
  const column = new WordColumn(text)
  column.reserve(2)
  for (let i = 0; i < 66_000; i++) column.admit(`word ${i}`)
  column.write(0, 'word 1')
  column.write(1, 'word 65999')
  column.reserve(4)
  expect([column.read(0), column.read(1), column.read(2)]).toEqual(['word 1', 'word 65999', null])
  expect(column.codes).toBeInstanceOf(Uint32Array)
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

test.each([
  ['no kernel', () => null],
  ['a kernel', () => BitsetKernel.create()],
])('words allocated with %s are zero and not shared, however many are allocated', (_, kernel) => {
  const allocator = new WordAllocator(kernel)
  const lengths = [0, 8, 20_000, 8, 60_000, 16_384, 1, ...upTo(300).map((i) => (i * 97) % 3000)]
  const taken = lengths.map((words) => allocator.take(words))
  for (const [i, words] of taken.entries()) {
    expect(words.every((word) => word === 0)).toBe(true)
    words.fill(i + 1)
  }
  for (const [i, words] of taken.entries()) expect(words.every((word) => word === i + 1)).toBe(true)
  expect(taken.map(({ length }) => length)).toEqual(lengths)
  expect(allocator.kernel === null).toBe(kernel() === null)
})
