import { describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import { AttributeIndex, INDEX_FACTORY } from '../../src/storage/attribute-index.ts'
import {
  BoolColumn,
  type Column,
  NumberColumn,
  TextColumn,
  WordColumn,
} from '../../src/storage/column.ts'

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  flag: attribute.bool(),
  text: attribute.string(),
})
const [long, bool, text] = buildCatalog({ name: 'things', dataClasses: [Thing] }).classes[0].storage
const NONE = { ordered: false, postings: false, unique: false }

function put(column: Column, values: readonly (string | number | boolean | null)[]): Int32Array {
  column.reserve(values.length)
  for (const [slot, value] of values.entries()) {
    column.admit(value as never)
    column.write(slot, value as never)
  }
  return Int32Array.from(values.keys())
}

describe('a unique index', () => {
  test.each([
    ['words', () => new WordColumn(text), ['Ada', null, 'bob']],
    ['plain texts', () => new TextColumn(text), ['Ada', null, 'bob']],
    ['numbers', () => new NumberColumn(long), [7, null, -1]],
    ['truths', () => new BoolColumn(bool), [true, null, false]],
  ] as const)(
    'over %s leads from each value to its record, built at once or one by one',
    (_, create, values) => {
      const column = create()
      const slots = put(column, values)
      const index = new AttributeIndex(column, { ...NONE, unique: true }, INDEX_FACTORY)
      const found = () =>
        values.map((value) => (value === null ? null : index.unique?.find(index.uniqueKey(value))))
      index.build(slots)
      expect(found()).toEqual([0, null, 2])
      index.build(slots)
      expect([found(), index.unique?.size]).toEqual([[0, null, 2], 2])
      for (const slot of slots) index.remove(slot, column.read(slot))
      expect([found(), index.unique?.size]).toEqual([[-1, null, -1], 0])
      for (const slot of slots) index.add(slot, column.read(slot))
      expect(found()).toEqual([0, null, 2])
      expect([index.isOrdered, index.postings, index.lists]).toEqual([false, null, null])
    },
  )

  test('has no posting lists, so `listOfValue` returns 0', () => {
    const column = new NumberColumn(long)
    put(column, [7])
    expect(
      new AttributeIndex(column, { ...NONE, unique: true }, INDEX_FACTORY).listOfValue(7),
    ).toBe(0)
  })
})

test('an ordered index of booleans sorts null before false before true', () => {
  const column = new BoolColumn(bool)
  const slots = put(column, [true, null, false, true])
  const index = new AttributeIndex(column, { ...NONE, ordered: true }, INDEX_FACTORY)
  index.build(slots)
  const order = new Int32Array(4)
  index.ordered?.slotsBetween(0, 4, order)
  expect([...order]).toEqual([1, 2, 0, 3])
})
