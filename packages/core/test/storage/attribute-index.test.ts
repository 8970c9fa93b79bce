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
import { HashIndex } from '../../src/storage/hash-index.ts'
import { textKey } from '../../src/value/compare.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { type Dice, dice, upTo } from './dice.ts'

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  flag: attribute.bool(),
  text: attribute.string(),
  number: attribute.number(),
})
const [long, bool, text, number] = buildCatalog({ name: 'things', dataClasses: [Thing] }).classes[0]
  .storage

/** Columns of all indexable layouts, and a function that gives their n-th value. */
const COLUMNS: readonly (readonly [
  name: string,
  create: () => Column,
  value: (n: number) => StoredValue,
])[] = [
  ['long', () => new NumberColumn(long), (n) => n - 10],
  ['number', () => new NumberColumn(number), (n) => n / 4 - 3],
  ['bool', () => new BoolColumn(bool), (n) => n % 2 === 0],
  ['words', () => new WordColumn(text), (n) => `word ${n}`],
  ['texts', () => new TextColumn(text), (n) => `Text ${n}`],
]
const OPTIONS = [
  { ordered: true, postings: false, unique: false },
  { ordered: false, postings: true, unique: false },
  { ordered: true, postings: true, unique: false },
  { ordered: false, postings: false, unique: true },
  { ordered: true, postings: true, unique: true },
]
type Options = (typeof OPTIONS)[number]

const keyOf = (value: StoredValue): string | number =>
  typeof value === 'string' ? textKey(value, 'folded') : Number(value)

class Indexed {
  readonly column: Column
  readonly index: AttributeIndex
  readonly held = new Map<number, StoredValue>()
  readonly options: Options

  constructor(column: Column, options: Options) {
    this.column = column
    this.options = options
    column.reserve(300)
    this.index = new AttributeIndex(column, options, INDEX_FACTORY)
  }
  add(slot: number, value: StoredValue): void {
    this.column.admit(value)
    this.index.admit(value)
    this.column.write(slot, value)
    this.index.add(slot, value)
    this.held.set(slot, value)
  }
  remove(slot: number): void {
    this.index.remove(slot, this.held.get(slot) as StoredValue)
    this.column.write(slot, null)
    this.held.delete(slot)
  }
  holds(value: StoredValue): boolean {
    return [...this.held.values()].some((each) => each !== null && keyOf(each) === keyOf(value))
  }
  slotsWith(isWanted: (value: StoredValue) => boolean): number[] {
    return [...this.held]
      .filter(([, value]) => isWanted(value))
      .map(([slot]) => slot)
      .sort((a, b) => a - b)
  }

  mustAnswer(values: readonly StoredValue[]): void {
    const { index, options, column } = this
    const isWord = column instanceof WordColumn
    expect(index.isOrdered).toBe(options.ordered)
    expect(index.ordered !== null).toBe(options.ordered && !isWord)
    expect(index.postings !== null).toBe(options.postings || (options.ordered && isWord))
    expect(index.unique !== null).toBe(options.unique)
    expect(index.lists !== null).toBe(index.postings !== null && !isWord)
    if (index.ordered !== null) this.mustBeOrdered()
    if (index.postings !== null) {
      for (const value of [...values, null]) {
        const list = value === null ? 0 : index.listOfValue(value as string)
        const expected = this.slotsWith((each) => each === value)
        if (value !== null && expected.length > 0) expect(list).toBeGreaterThan(0)
        if (list === 0 && value !== null) continue
        const start = index.postings.start(list)
        expect([
          ...index.postings.data.subarray(start, start + index.postings.length(list)),
        ]).toEqual(expected)
      }
    } else
      expect(index.listOfValue(values[0] as string)).toBe(
        isWord ? Math.max(0, column.dictionary.find(values[0] as string)) : 0,
      )
    if (index.unique !== null) {
      for (const value of values) {
        const [slot = -1] = this.slotsWith((each) => each !== null && keyOf(each) === keyOf(value))
        expect(index.unique.find(index.uniqueKey(value))).toBe(slot)
      }
      expect(index.unique.size).toBe(this.slotsWith((value) => value !== null).length)
    }
  }
  mustBeOrdered(): void {
    const { ordered } = this.index
    expect(ordered?.kind).toBe(this.column instanceof TextColumn ? 'text' : 'number')
    const expected = [...this.held].sort(([a, left], [b, right]) => {
      if (left === null || right === null) return left === right ? a - b : left === null ? -1 : 1
      const [i, j] = [keyOf(left), keyOf(right)]
      return i === j ? a - b : i < j ? -1 : 1
    })
    expect(ordered?.size).toBe(expected.length)
    const found = new Int32Array(expected.length)
    ordered?.slotsBetween(0, found.length, found)
    expect([...found]).toEqual(expected.map(([slot]) => slot))
  }
}

/** Values for the column; if it is unique, no value occurs twice. */
function story(indexed: Indexed, values: readonly StoredValue[], roll: Dice, steps: number): void {
  for (let i = 0; i < steps; i++) {
    const slot = roll(60)
    if (indexed.held.has(slot)) indexed.remove(slot)
    const value = roll(4) === 0 ? null : values[roll(values.length)]
    if (roll(3) === 0 || (indexed.options.unique && value !== null && indexed.holds(value)))
      continue
    indexed.add(slot, value)
  }
}

describe.each(COLUMNS)('an index over %s', (layout, create, nthValue) => {
  // Foreign keys of type text are stored as words.
  test.each(OPTIONS.filter(({ postings }) => !postings || layout !== 'texts'))(
    'with %o gives the same results as a scan',
    (options) => {
      for (const most of [2, 30]) {
        const roll = dice(most)
        const values = upTo(most).map(nthValue)
        const indexed = new Indexed(create(), options)
        indexed.mustAnswer(values)
        for (let round = 0; round < 6; round++) {
          story(indexed, values, roll, 25)
          indexed.mustAnswer(values)
          if (round % 2 === 0) indexed.index.build(Int32Array.from(indexed.slotsWith(() => true)))
          indexed.mustAnswer(values)
        }
        for (const slot of indexed.slotsWith(() => true)) indexed.remove(slot)
        indexed.mustAnswer(values)
        indexed.index.build(new Int32Array(0))
        indexed.mustAnswer(values)
        indexed.add(3, values[1])
        indexed.mustAnswer(values)
      }
    },
  )
})

test('posting lists that have become empty are reused for other values', () => {
  const indexed = new Indexed(new NumberColumn(long), OPTIONS[1])
  for (let turn = 0; turn < 100; turn++) {
    indexed.add(turn % 3, turn)
    indexed.add(10 + (turn % 3), turn + 1000)
    indexed.mustAnswer([turn, turn + 1000])
    indexed.remove(turn % 3)
    indexed.remove(10 + (turn % 3))
  }
  expect(indexed.index.listOfValue(3)).toBe(0)
  expect(indexed.index.postings?.listLimit).toBeLessThan(20)
  indexed.add(1, null)
  indexed.remove(1)
  indexed.add(2, 5)
  expect(indexed.index.listOfValue(5)).toBeGreaterThan(0)
  indexed.mustAnswer([5])
})

test('an index without an order answers no ranges, even if its column has ordered words', () => {
  const column = new WordColumn(text)
  column.dictionary.order()
  expect(new AttributeIndex(column, OPTIONS[3], INDEX_FACTORY).isOrdered).toBe(false)
  expect(new AttributeIndex(column, OPTIONS[1], INDEX_FACTORY).isOrdered).toBe(true)
})

test('an index adopts unique values that were hashed beforehand', () => {
  const column = new NumberColumn(long)
  const index = new AttributeIndex(column, OPTIONS[3], INDEX_FACTORY)
  const hashed = new HashIndex(() => null)
  column.reserve(5)
  for (const slot of upTo(5)) column.write(slot, slot + 7)
  for (const slot of upTo(5)) hashed.set(slot + 7, slot)
  index.unique?.set(99, 3)
  index.build(Int32Array.from(upTo(5)), hashed)
  expect(upTo(5).map((slot) => index.unique?.find(slot + 7))).toEqual([0, 1, 2, 3, 4])
  expect([index.unique?.size, index.unique?.find(99)]).toEqual([5, -1])
  const plain = new AttributeIndex(column, OPTIONS[0], INDEX_FACTORY)
  plain.build(Int32Array.from(upTo(5)), hashed)
  expect(plain.unique).toBeNull()
})

test('removing a record that no longer holds a unique value leaves the value to its current holder', () => {
  const indexed = new Indexed(new TextColumn(text), OPTIONS[3])
  indexed.add(1, 'Ada')
  indexed.column.write(2, 'ada')
  indexed.index.add(2, 'ada')
  indexed.index.remove(1, 'Ada')
  expect(indexed.index.unique?.find(indexed.index.uniqueKey('ADA'))).toBe(2)
})
