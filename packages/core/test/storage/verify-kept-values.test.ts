import { afterEach, describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { BoxedColumn, NumberColumn, TextColumn, WordColumn } from '../../src/storage/column.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { verifyRelations } from '../../src/storage/verify-values.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { forgetStores } from '../every-store.ts'
import { columnOf, indexOf, ordinalOf } from './people-table.ts'
import { firmTables, put, rowOf, tablesOf } from './plain-tables.ts'

afterEach(forgetStores)

const Kept = defineDataClass('Kept', {
  ID: attribute.long({ key: true }),
  object: attribute.object(),
  number: attribute.number(),
  long64: attribute.long64(),
  date: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  duration: attribute.duration(),
  uuid: attribute.uuid(),
  text: attribute.string({ unique: true }),
  photo: attribute.image(),
})
function holding(name: string, value: StoredValue) {
  const [table] = tablesOf(Kept)
  put(table, rowOf(table, { ID: 1, [name]: null }), 1)
  columnOf<NumberColumn | TextColumn | BoxedColumn>(table, name).write(0, value)
  indexOf(table, 'text').build(table.liveSlots())
  return () => verifyTable(table)
}
const deepFrozen = (value: unknown): StoredValue => {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) deepFrozen(inner)
  return Object.freeze(value) as StoredValue
}
const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) })

describe('verification accepts what a column may hold', () => {
  test.each<[name: string, value: unknown]>([
    ['object', {}],
    ['object', []],
    ['object', { a: null, b: true, c: false, d: 0, e: -1.5, f: '', g: [1, 'x', null, { h: [] }] }],
    ['object', nested(15)],
    ['number', -1e308],
    ['number', 0.1],
    ['long64', 2 ** 53 - 1],
    ['long64', -(2 ** 53) + 1],
    ['date', 8.64e15],
    ['date', -8.64e15],
    ['day', 1e8],
    ['day', -1e8],
    ['duration', 0.25],
    ['uuid', '00112233445566778899AABBCCDDEEFF'],
    ['text', 'a\u{1f600}'],
  ])('%s: %j', (name, value) => {
    holding(name, deepFrozen(value))()
  })
})

describe('verification reports what a column must not hold', () => {
  test.each<[name: string, value: unknown]>([
    ['object', { a: undefined }],
    ['object', { a: -0 }],
    ['object', [Number.NaN]],
    ['object', { a: { b: Number.POSITIVE_INFINITY } }],
    ['object', { a: '\ud800' }],
    ['object', { '\udc00': 1 }],
    ['object', JSON.parse('{"__proto__": 1}')],
    ['object', { a: 1n }],
    ['object', { a: () => 1 }],
    ['object', [Symbol('a')]],
    ['object', nested(1000)],
    ['object', 'text'],
    ['object', 7],
    ['photo', {}],
    ['photo', 'text'],
    ['long64', 0.5],
    ['date', -8.64e15 - 2],
    ['day', -1e8 - 1],
    ['uuid', '00112233445566778899AABBCCDDEEF'],
    ['uuid', '00112233445566778899AABBCCDDEEFFF'],
    ['uuid', '00112233445566778899aabbccddeeff'],
    ['uuid', 'G0112233445566778899AABBCCDDEEFF'],
    ['text', 'a\udfff'],
  ])('%s: %o', (name, value) => {
    expect(holding(name, deepFrozen(value))).toThrow(`"Kept.${name}": the value of record 0 is no`)
  })

  test.each<[what: string, value: unknown]>([
    ['an object', {}],
    ['an array', []],
    ['an object in an array', Object.freeze([{}])],
    ['an array in an object', Object.freeze({ a: [] })],
  ])('%s that can be changed', (_, value) => {
    expect(holding('object', value as StoredValue)).toThrow(
      '"Kept.object": the value of record 0 is no object',
    )
  })
})

describe('relations', () => {
  const started = () => {
    const tables = firmTables()
    const [firms, people] = tables
    put(firms, rowOf(firms, { ID: 1, name: 'Acme' }), 1)
    for (const key of [1, 2, 3])
      put(people, rowOf(people, { ID: key, firmID: key === 2 ? null : 1, mentor: 1 }), key)
    return tables
  }

  test('with existing targets are accepted', () => {
    const tables = started()
    verifyRelations(tables)
    tables[1].removeAt(1, tables[1].readAll(1))
    verifyRelations(tables)
  })

  test('without a target are reported with rule, record and value', () => {
    const tables = started()
    const [firms, people] = tables
    firms.removeAt(0, firms.readAll(0))
    expect(() => verifyRelations(tables)).toThrow(
      /"Person\.firm" \(onDelete: cascade\): record 0 leads to "1"/,
    )
    const others = started()
    others[1].removeAt(0, others[1].readAll(0))
    expect(() => verifyRelations(others)).toThrow(
      /"Person\.mentor" \(onDelete: null\): record 1 leads to "1"/,
    )
    people.updateAt(0, [ordinalOf(people, 'firmID')], [null], 2, 1)
    expect(() => verifyRelations(tables)).toThrow(/"Person\.firm" .*record 2/)
  })
})

test('a freed word in use, and a wrong count of a word, are reported', () => {
  const [, people] = firmTables()
  for (const key of [1, 2]) put(people, rowOf(people, { ID: key, name: 'Ada' }), key)
  const { dictionary } = columnOf<WordColumn>(people, 'name')
  dictionary.counts[0]++
  expect(() => verifyTable(people)).toThrow(/"Person.name": word 0 is counted 1 times/)
  dictionary.counts[0]--
  dictionary.counts[1]++
  expect(() => verifyTable(people)).toThrow(/"Person.name": word 1 is counted 3 times/)
})
