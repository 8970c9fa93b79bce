import type { ClassModel } from '@entia/core'
import type { WorkingChange } from '@entia/engine'
import type { SqlValue } from '../connect/port.ts'
import { grouped } from '../grouped.ts'
import { PLACE, placedRows, type ValueColumn, valueRows } from '../schema/bound-values.ts'
import { encode, writtenColumns, writtenTypes } from '../schema/row-codec.ts'
import {
  RECORD,
  type SqlColumn,
  type SqlModel,
  type SqlTable,
  STAMP,
  TIMESTAMP,
} from '../schema/sql-model.ts'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'

/** A statement that must change a number of rows, else another transaction was in the way. */
export interface ChangeSql {
  readonly statement: Sql
  readonly rows: number
}

/** Stamps of entities as they were decided on, by record number. */
export type StampOf = (dataClass: ClassModel, record: number) => number

/**
 * The statements that bring the rows of a dataclass to the end of some changes: one for all
 * removals, one for the updates of the same columns, one for all new entities. Throws
 * `valueInvalid` for texts that PostgreSQL cannot store. Cost: O(values).
 */
export function changeSql(
  model: SqlModel,
  dataClass: ClassModel,
  changes: readonly WorkingChange[],
  stampOf: StampOf,
): readonly ChangeSql[] {
  const table = model.tables[dataClass.ordinal]!
  const ofKind = (wanted: WorkingChange['kind']) => changes.filter(({ kind }) => kind === wanted)
  const [removed, inserted] = [ofKind('remove'), ofKind('insert')]
  const updated = grouped(ofKind('update'), ({ changed }) => changed.join())
  const stampsOf = (list: readonly WorkingChange[]): readonly number[] =>
    list.map(({ record }) => stampOf(dataClass, record!))
  return [
    ...(removed.length === 0 ? [] : [removal(table, removed, stampsOf(removed))]),
    ...Array.from(updated.values(), (list) => update(table, list, stampsOf(list))),
    ...(inserted.length === 0 ? [] : [insertion(table, inserted)]),
  ]
}

const removal = (
  { name }: SqlTable,
  changes: readonly WorkingChange[],
  stamps: readonly number[],
): ChangeSql => ({
  statement: sql`DELETE FROM ${name} AS t USING ${valueRows(foundColumns(changes, stamps))} WHERE ${IS_FOUND}`,
  rows: changes.length,
})

function update(
  { name, columns }: SqlTable,
  changes: readonly WorkingChange[],
  stamps: readonly number[],
): ChangeSql {
  const written = changes[0]!.changed.map((at) => columns[at]!)
  const cells = [...versionCells(changes), ...attributeCells(written, changes)]
  const placed = inPlaces(cells)
  const assigned = cells.map((cell, at) => sql`${cell.name} = v.${placed[at]!.name}`)
  const rows = valueRows([...foundColumns(changes, stamps), ...placed])
  return {
    statement: sql`UPDATE ${name} AS t SET ${listed(assigned)} FROM ${rows} WHERE ${IS_FOUND}`,
    rows: changes.length,
  }
}

function insertion({ name, columns }: SqlTable, changes: readonly WorkingChange[]): ChangeSql {
  const cells = [...versionCells(changes), ...attributeCells(columns, changes)]
  const placed = inPlaces(cells)
  // Record numbers are given in the order of the list.
  return {
    statement: sql`INSERT INTO ${name} (${namesOf(cells)}) SELECT ${namesOf(placed)} FROM ${placedRows(placed)} ORDER BY v.${PLACE}`,
    rows: changes.length,
  }
}

/** An insertion of new entities from the rows of `columns`, beside which `v` has more columns. */
export interface NumberedInsertion {
  /** Stamp, timestamp, and the attributes without the key. */
  readonly columns: readonly ValueColumn[]
  /** Answers `rec` and `number`, from `v` with the columns, `place` and the key as `number`. */
  readonly statement: Sql
}

/** The insertion of new entities whose keys the database gives. */
export function numberedInsertion(
  { name, columns, model }: SqlTable,
  changes: readonly WorkingChange[],
): NumberedInsertion {
  const key = columns[model.key.ordinal]!
  const others = columns.filter((column) => column !== key)
  const cells = [...versionCells(changes), ...attributeCells(others, changes)]
  const placed = inPlaces(cells)
  return {
    columns: placed,
    statement: sql`INSERT INTO ${name} (${key.name}, ${namesOf(cells)}) SELECT v.number, ${namesOf(placed)} FROM v ORDER BY v.${PLACE} RETURNING ${RECORD} AS rec, ${key.name} AS number`,
  }
}

/** What a row of the change table is made of; `ord` is the place of the change in its commit. */
export interface ChangeCells {
  readonly commitId: Sql
  readonly ord: Sql
  readonly dataClass: Sql
  readonly key: Sql
  readonly kind: Sql
  readonly record: Sql
  readonly stamp: Sql
  readonly timestamp: Sql
  readonly replaced: Sql
  readonly written: Sql
}

/** The statement that writes rows of the change table. */
export const recordChanges = (schema: string, each: ChangeCells, from: Sql): Sql =>
  sql`INSERT INTO ${new SqlName(schema, 'entia_change')} (commit_id, ord, class, key, kind, record, stamp, timestamp, replaced, written) SELECT ${each.commitId}, ${each.ord}, ${each.dataClass}, ${each.key}, ${each.kind}, ${each.record}, ${each.stamp}, ${each.timestamp}, ${each.replaced}, ${each.written} FROM ${from}`

const FOUND_RECORD = new SqlName('rec')
const FOUND_STAMP = new SqlName('stamp')
export const IS_FOUND = sql`t.${RECORD} = v.${FOUND_RECORD} AND t.${STAMP} = v.${FOUND_STAMP}`

/** Named by their places: columns of a table could have the names of the other values. */
const inPlaces = (cells: readonly ValueColumn[]): readonly ValueColumn[] =>
  cells.map((cell, at) => ({ ...cell, name: new SqlName(`c${at}`) }))
const namesOf = (columns: readonly ValueColumn[]): Sql => listed(columns.map(({ name }) => name))

/** The rows `v` of entities as the decision found them, and the test of a row `t` for them. */
export const foundColumns = (
  rows: readonly Pick<WorkingChange, 'record'>[],
  stamps: readonly number[],
): readonly ValueColumn[] => [
  { name: FOUND_RECORD, type: 'bigint', values: rows.map(({ record }) => record!) },
  { name: FOUND_STAMP, type: 'integer', values: stamps },
]

/** Stamps and timestamps as the changes leave them. */
const versionCells = (changes: readonly WorkingChange[]): readonly ValueColumn[] => [
  { name: STAMP, type: 'integer', values: changes.map(({ stamp }) => stamp) },
  { name: TIMESTAMP, type: 'bigint', values: changes.map(({ timestamp }) => timestamp) },
]

/** The columns of some attributes with their values in all changes. */
function attributeCells(
  columns: readonly SqlColumn[],
  changes: readonly WorkingChange[],
): readonly ValueColumn[] {
  return columns.flatMap((column) => {
    const types = writtenTypes(column)
    const lists = types.map((): SqlValue[] => [])
    const { ordinal } = column.attribute
    for (const { after } of changes) {
      const cells = encode(column, after![ordinal] ?? null)
      for (let at = 0; at < lists.length; at++) lists[at]!.push(cells[at]!)
    }
    return writtenColumns(column).map((name, at) => ({
      name,
      type: types[at]!,
      values: lists[at]!,
    }))
  })
}
