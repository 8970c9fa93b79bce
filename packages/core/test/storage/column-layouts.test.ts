import { describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import {
  type Column,
  createColumn,
  NULL_INT,
  NumberColumn,
  TextColumn,
  WordColumn,
} from '../../src/storage/column.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { dice, upTo } from './dice.ts'
import { FROZEN } from './plain-tables.ts'

const Other = defineDataClass('Other', { code: attribute.string({ key: true }) })
const Owner = defineDataClass('Owner', { ID: attribute.uuid({ key: true }) })
const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  long64: attribute.long64(),
  number: attribute.number(),
  date: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  duration: attribute.duration(),
  bool: attribute.bool(),
  text: attribute.string(),
  exact: attribute.string({ collation: 'exact' }),
  unique: attribute.string({ unique: true }),
  uuid: attribute.uuid(),
  object: attribute.object(),
  photo: attribute.image(),
  blob: attribute.blob(),
  other: attribute.relatedEntity('Other'),
  owner: attribute.relatedEntity('Owner', { foreignKey: 'ownerID' }),
  ownerID: attribute.uuid(),
  only: attribute.relatedEntity('Other', { foreignKey: 'onlyID' }),
  onlyID: attribute.string({ unique: true }),
})
const [{ storage }, others] = buildCatalog({
  name: 'things',
  dataClasses: [Thing, Other, Owner],
}).classes
const attributeOf = (name: string) =>
  storage.find((each) => each.name === name) as (typeof storage)[number]

const VALUES: Readonly<Record<string, readonly StoredValue[]>> = {
  // The last ones need more than 32 bits, one of them because it stands for null.
  ID: [0, 1, -1, 2_147_483_647, -2_147_483_647, NULL_INT, 2 ** 40],
  long64: [0, 2 ** 40, -(2 ** 53) + 1, NULL_INT],
  number: [0, 0.5, -1e300, 7, NULL_INT],
  date: [0, 1_700_000_000_000, -1],
  day: [0, 19_000, -3],
  duration: [0, 12.5],
  bool: [true, false],
  text: ['', 'a', 'A', 'é', 'word'],
  exact: ['', 'a', 'A', '\uff5e'],
  unique: ['', 'a', 'Bob', 'É'],
  uuid: ['00112233445566778899AABBCCDDEEFF'],
  object: [FROZEN, Object.freeze([1, 2]) as unknown as StoredValue],
  other: ['k1', 'k2', 'K1'],
}

describe.each(Object.entries(VALUES))('a column of %s', (name, values) => {
  const roll = dice(name.length)
  const given = (): StoredValue => (roll(4) === 0 ? null : values[roll(values.length)])
  const write = (
    column: Column,
    held: Map<number, StoredValue>,
    slot: number,
    value: StoredValue,
  ) => {
    column.admit(value)
    column.write(slot, value)
    held.set(slot, value)
    if (column instanceof WordColumn && value !== null)
      column.dictionary.counts[column.dictionary.find(value as string)] = 1
  }
  const mustHold = (column: Column, held: ReadonlyMap<number, StoredValue>, capacity: number) => {
    for (let slot = 0; slot < capacity; slot++)
      expect(column.read(slot)).toBe(held.get(slot) ?? null)
  }

  test('reads the written values, and null elsewhere, while it grows', () => {
    const column = createColumn(attributeOf(name))
    const held = new Map<number, StoredValue>()
    column.reserve(5)
    mustHold(column, held, 5)
    for (const capacity of [5, 9, 9, 70]) {
      column.reserve(capacity)
      for (let i = 0; i < 30; i++) write(column, held, roll(capacity), given())
      mustHold(column, held, capacity)
    }
  })

  test('has a copy that reads the same values and changes independently', () => {
    const column = createColumn(attributeOf(name))
    const held = new Map<number, StoredValue>()
    column.reserve(20)
    for (const slot of upTo(15)) write(column, held, slot, values[slot % values.length])
    write(column, held, 3, null)
    const copy = column.copy()
    expect([copy.layout, copy.attribute]).toEqual([column.layout, column.attribute])
    mustHold(copy, held, 20)
    const kept = new Map(held)
    for (const slot of upTo(20)) write(column, held, slot, given())
    mustHold(copy, kept, 20)
    for (const slot of upTo(18)) write(copy, kept, slot, given())
    mustHold(column, held, 20)
    mustHold(copy, kept, 20)
  })
})

describe('a column of numbers', () => {
  const longs = attributeOf('ID')

  test('knows whether a fraction was ever written to it', () => {
    for (const isMany of [false, true]) {
      const column = new NumberColumn(attributeOf('number'))
      column.reserve(4)
      const write = (value: number | null) =>
        isMany ? column.writeAll(Int32Array.of(0, 2), [value, 5]) : column.write(0, value)
      for (const value of [null, 0, -7, 2 ** 60]) write(value)
      expect([column.isIntegral, column.copy().isIntegral]).toEqual([true, true])
      write(0.5)
      expect([column.isIntegral, column.read(0), column.copy().isIntegral]).toEqual([
        false,
        0.5,
        false,
      ])
      write(3)
      write(null)
      expect([column.isIntegral, column.read(0)]).toEqual([false, null])
    }
  })

  test('uses 32 bits per value as long as all values fit', () => {
    const column = new NumberColumn(longs)
    column.reserve(3)
    for (const value of [null, 0, 2_147_483_647, NULL_INT + 1]) {
      column.admit(value)
      column.write(0, value)
      expect([column.read(0), column.data instanceof Int32Array]).toEqual([value, true])
    }
    for (const wide of [NULL_INT, NULL_INT - 1, 2_147_483_648]) {
      const wider = column.copy()
      wider.admit(wide)
      wider.write(1, wide)
      expect([wider.read(0), wider.read(1), wider.read(2)]).toEqual([NULL_INT + 1, wide, null])
      wider.writeAll(Int32Array.of(0, 1, 2), [wide, null, 4])
      expect([wider.read(0), wider.read(1), wider.read(2)]).toEqual([wide, null, 4])
    }
    expect(new NumberColumn(attributeOf('day')).data).toBeInstanceOf(Int32Array)
    for (const name of ['long64', 'number', 'date', 'duration'])
      expect(new NumberColumn(attributeOf(name)).data).toBeInstanceOf(Float64Array)
  })

  test('has its own cache of day texts', () => {
    const column = new NumberColumn(attributeOf('day'))
    expect(column.dayTexts).toBe(column.dayTexts)
    expect(column.copy().dayTexts).not.toBe(column.dayTexts)
  })
})

test('text columns use a dictionary unless they are unique, keys or UUIDs; foreign keys always use one', () => {
  const layouts = new Map(storage.map((each) => [each.name, createColumn(each).layout]))
  expect(Object.fromEntries(layouts)).toMatchObject({
    ID: 'number',
    day: 'number',
    bool: 'bool',
    text: 'word',
    exact: 'word',
    unique: 'text',
    uuid: 'text',
    object: 'boxed',
    photo: 'boxed',
    blob: 'boxed',
    other: 'word',
    ownerID: 'word',
    onlyID: 'word',
  })
  expect(createColumn(others.storage[0]).layout).toBe('text')
})

test('a copy of a word column has only the words that records hold', () => {
  const column = new WordColumn(attributeOf('text'))
  column.reserve(4)
  for (const [slot, word] of ['gone', 'here', 'HERE'].entries()) {
    column.admit(word)
    column.write(slot, word)
    if (slot > 0) column.dictionary.counts[column.codes[slot]] = 1
  }
  column.write(0, null)
  const copy = column.copy()
  expect(upTo(4).map((slot) => copy.read(slot))).toEqual([null, 'here', 'HERE', null])
  expect([copy.dictionary.size, copy.dictionary.find('gone')]).toEqual([2, -1])
  expect(copy.dictionary.collation).toBe(column.dictionary.collation)
  expect(copy.codes).not.toBe(column.codes)
})

test('texts and their keys share one list until a text differs from its key, also in copies', () => {
  const column = new TextColumn(attributeOf('unique'))
  column.reserve(3)
  column.write(0, 'plain')
  column.write(1, null)
  expect([column.keys === column.spellings, column.copy().keys]).toEqual([
    true,
    ['plain', null, null],
  ])
  column.write(1, 'Ä')
  expect([column.keys[0], column.keys[1], column.spellings[1]]).toEqual(['plain', 'a', 'Ä'])
  const copy = column.copy()
  expect([copy.keys, copy.spellings]).toEqual([column.keys, column.spellings])
  column.write(0, null)
  expect([column.keys[0], column.spellings[0], copy.keys[0], copy.spellings[0]]).toEqual([
    null,
    null,
    'plain',
    'plain',
  ])
  column.reserve(6)
  expect([column.keys.length, column.spellings.length]).toEqual([6, 6])
})
