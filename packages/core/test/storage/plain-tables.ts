import { expect } from 'vitest'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { AnyDataClass } from '../../src/model/definition.ts'
import { INDEX_FACTORY } from '../../src/storage/attribute-index.ts'
import { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { Badge, Firm, Person } from '../write/firm-store.ts'
import type { Dice } from './dice.ts'

/** Empty tables of some dataclasses, without a store: writes are not checked. */
export const tablesOf = (...dataClasses: readonly AnyDataClass[]): Table[] =>
  buildCatalog({ name: 'plain', dataClasses }).classes.map(
    (model) => new Table(model, INDEX_FACTORY),
  )

export const firmTables = (): [firms: Table, people: Table, badges: Table] =>
  tablesOf(Firm, Person, Badge) as [Table, Table, Table]

/** The values of a record by column; columns without a name here are null. */
export function rowOf(
  table: Table,
  named: { readonly [name: string]: StoredValue },
): StoredValue[] {
  const row: StoredValue[] = table.columns.map(() => null)
  for (const { name, ordinal } of table.model.storage)
    if (Object.hasOwn(named, name)) row[ordinal] = named[name]
  return row
}

export const FROZEN = Object.freeze({ a: 1 }) as unknown as StoredValue

/**
 * A person with random values of all layouts, some of them null. The key and the e-mail are unique.
 */
export function personRow(table: Table, key: number, roll: Dice): StoredValue[] {
  const maybe = (value: StoredValue): StoredValue => (roll(4) === 0 ? null : value)
  return rowOf(table, {
    ID: key,
    name: maybe(['Ada', 'ada', 'Bob', `name ${roll(9)}`][roll(4)]),
    email: maybe(`${key}@x`),
    pay: maybe([0, 1.5, roll(50), -2][roll(4)]),
    day: maybe(roll(9)),
    active: maybe(roll(2) === 0),
    notes: maybe(FROZEN),
    firmID: maybe(roll(4)),
    mentor: maybe(roll(6)),
  })
}

export function admitAll(table: Table, row: readonly StoredValue[]): void {
  for (const [ordinal, value] of row.entries()) table.admit(ordinal, value)
}

/**
 * Reserves a slot and inserts a record into the next free one, with its key as birth and ten times
 * that as timestamp.
 */
export function put(
  table: Table,
  row: readonly StoredValue[],
  birth: number,
  slot = table.lowestFree,
): number {
  table.reserve(slot + 1)
  admitAll(table, row)
  table.insertAt(slot, row, 1, birth * 10, birth)
  const key = row[table.model.key.ordinal]
  if (typeof key === 'number') table.sequence = Math.max(table.sequence, key + 1)
  return slot
}

export interface PlainRecord {
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
  readonly birth: number
}
export type PlainRecords = ReadonlyMap<number, PlainRecord>

/** All facts about the records of a table, read by its own methods. */
export const recordsOf = (table: Table): PlainRecords =>
  new Map(
    Array.from(table.liveSlots(), (slot) => [
      slot,
      {
        values: table.readAll(slot),
        stamp: table.stamps[slot],
        timestamp: table.timestamps[slot],
        birth: table.births[slot],
      },
    ]),
  )

/** The table passes verification and has exactly these records, in the order of their numbers. */
export function mustHave(table: Table, records: PlainRecords): void {
  verifyTable(table)
  expect(recordsOf(table)).toEqual(new Map([...records].sort(([a], [b]) => a - b)))
  expect(table.liveCount).toBe(records.size)
  expect(table.length).toBe(Math.max(-1, ...records.keys()) + 1)
}
