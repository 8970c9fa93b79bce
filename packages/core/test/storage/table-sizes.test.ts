import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { type TableSizes, tableSizes } from '../../src/storage/table-sizes.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true }),
  size: attribute.number(),
  day: attribute.date({ dateOnly: true, indexed: true }),
  town: attribute.string(),
  code: attribute.string({ unique: true }),
  text: attribute.string({ words: true }),
  more: attribute.object(),
})

const COUNT = 20_000

function filled() {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  store.Note.load(
    Array.from({ length: COUNT }, (_, at) => ({
      ID: at + 1,
      size: at / 7,
      day: '2024-02-29',
      town: `Town ${at % 100}`,
      code: `code-${at}`,
      text: `alpha w${at % 50}`,
      more: { at, name: `n${at}` },
    })),
  )
  return store
}

const sizesOf = (store: object): TableSizes => tableSizes(handleOf(store).writer.tables[0]!)
const attributeOf = ({ attributes }: TableSizes, name: string) =>
  attributes.find((one) => one.name === name)!

test('the size of a table is the sum of its parts, and none of them is missing', () => {
  const sizes = sizesOf(filled())
  expect(sizes.entities).toBe(COUNT)
  const parts = sizes.attributes.map(({ bytes, index }) => bytes + (index ?? 0))
  expect(sizes.bytes).toBe(parts.reduce((sum, each) => sum + each, sizes.other))
  expect(sizes.attributes.map(({ name, index }) => [name, index !== null])).toEqual([
    ['ID', true],
    ['size', false],
    ['day', true],
    ['town', false],
    ['code', true],
    ['text', true],
    ['more', false],
  ])
  // Eight bytes for a number, a code of two for a repeating text, and texts by their length.
  expect(attributeOf(sizes, 'size').bytes / COUNT).toBeCloseTo(8, -1)
  expect(attributeOf(sizes, 'town').bytes / COUNT).toBeLessThan(5)
  expect(attributeOf(sizes, 'code').bytes / COUNT).toBeGreaterThan(30)
  expect(attributeOf(sizes, 'more').bytes / COUNT).toBeGreaterThan(60)
})

test.each(['size', 'town', 'code'])('an index of %s takes about what was proposed', (name) => {
  const store = filled()
  const { proposal, index: before } = attributeOf(sizesOf(store), name)
  store.Note.createIndex(name as 'size')
  const { index, proposal: next } = attributeOf(sizesOf(store), name)
  const taken = index! - (before ?? 0)
  expect(taken / proposal!.bytes).toBeGreaterThan(0.5)
  expect(taken / proposal!.bytes).toBeLessThan(1.5)
  expect(next).toBeNull()
})

test('an empty table has sizes', () => {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  const sizes = sizesOf(store)
  expect(sizes.entities).toBe(0)
  expect(attributeOf(sizes, 'more').bytes).toBe(0)
})
