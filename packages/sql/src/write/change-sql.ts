import type { ClassModel } from '@entia/core'
import { arrayType } from '../schema/array-type.ts'
import { encode, writtenColumns, writtenTypes } from '../schema/row-codec.ts'
import { RECORD, STAMP, TIMESTAMP } from '../schema/row-sql.ts'
import type { SqlColumn, SqlModel, SqlTable } from '../schema/sql-model.ts'
import { joined, type Sql, SqlName, sql } from '../text/sql.ts'
import type { NetChange } from './net-changes.ts'

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
  changes: readonly NetChange[],
  stampOf: StampOf,
): readonly ChangeSql[] {
  const table = model.tables[dataClass.ordinal]!
  const removed = changes.filter(({ kind }) => kind === 'remove')
  const inserted = changes.filter(({ kind }) => kind === 'insert')
  const stampsOf = (list: readonly NetChange[]): readonly number[] =>
    list.map(({ record }) => stampOf(dataClass, record!))
  return [
    ...(removed.length === 0 ? [] : [removal(table, removed, stampsOf(removed))]),
    ...updatesByColumns(changes).map((list) => update(table, list, stampsOf(list))),
    ...(inserted.length === 0 ? [] : [insertion(table, inserted)]),
  ]
}

/** Updates that write the same columns. */
function updatesByColumns(changes: readonly NetChange[]): readonly (readonly NetChange[])[] {
  const lists = new Map<string, NetChange[]>()
  for (const change of changes) {
    if (change.kind !== 'update') continue
    const columns = [...change.changed].sort((a, b) => a - b).join()
    const list = lists.get(columns)
    if (list === undefined) lists.set(columns, [change])
    else list.push(change)
  }
  return [...lists.values()]
}

const recordsOf = (changes: readonly NetChange[]): readonly number[] =>
  changes.map(({ record }) => record!)

const removal = (
  { name }: SqlTable,
  changes: readonly NetChange[],
  stamps: readonly number[],
): ChangeSql => ({
  statement: sql`DELETE FROM ${name} AS t USING unnest(${recordsOf(changes)}::bigint[], ${stamps}::integer[]) AS v(rec, stamp) WHERE t.${RECORD} = v.rec AND t.${STAMP} = v.stamp`,
  rows: changes.length,
})

function update(
  { name, columns }: SqlTable,
  changes: readonly NetChange[],
  stamps: readonly number[],
): ChangeSql {
  const written = [...changes[0]!.changed].sort((a, b) => a - b).map((at) => columns[at]!)
  const cells = cellArrays(written, changes)
  const arrays: Sql[] = [
    sql`${recordsOf(changes)}::bigint[]`,
    sql`${stamps}::integer[]`,
    sql`${changes.map(({ stamp }) => stamp)}::integer[]`,
    sql`${changes.map(({ timestamp }) => timestamp)}::bigint[]`,
    ...cells.map(({ array }) => array),
  ]
  const names = cells.map((_, at) => new SqlName(`c${at}`))
  const assigned = [
    sql`${STAMP} = v.next`,
    sql`${TIMESTAMP} = v.ts`,
    ...cells.map(({ name }, at) => sql`${name} = v.${names[at]!}`),
  ]
  const list = joined([sql`rec`, sql`stamp`, sql`next`, sql`ts`, ...names], sql`, `)
  return {
    statement: sql`UPDATE ${name} AS t SET ${joined(assigned, sql`, `)} FROM unnest(${joined(arrays, sql`, `)}) AS v(${list}) WHERE t.${RECORD} = v.rec AND t.${STAMP} = v.stamp`,
    rows: changes.length,
  }
}

function insertion({ name, columns }: SqlTable, changes: readonly NetChange[]): ChangeSql {
  const cells = cellArrays(columns, changes)
  const arrays = [
    sql`${changes.map(({ stamp }) => stamp)}::integer[]`,
    sql`${changes.map(({ timestamp }) => timestamp)}::bigint[]`,
    ...cells.map(({ array }) => array),
  ]
  const names = joined([STAMP, TIMESTAMP, ...cells.map((cell) => cell.name)], sql`, `)
  // Record numbers are given in the order of the list.
  return {
    statement: sql`INSERT INTO ${name} (${names}) SELECT ${unnested(arrays.length)} FROM unnest(${joined(arrays, sql`, `)}) WITH ORDINALITY AS v(${unnested(arrays.length)}, place) ORDER BY v.place`,
    rows: changes.length,
  }
}

const unnested = (count: number): Sql =>
  joined(
    Array.from({ length: count }, (_, at) => new SqlName(`c${at}`)),
    sql`, `,
  )

/** The columns of some attributes with the values of all changes, as arrays with their types. */
function cellArrays(
  columns: readonly SqlColumn[],
  changes: readonly NetChange[],
): readonly { readonly name: SqlName; readonly array: Sql }[] {
  return columns.flatMap((column) => {
    const rows = changes.map(({ values }) =>
      encode(column, values![column.attribute.ordinal] ?? null),
    )
    const types = writtenTypes(column)
    return writtenColumns(column).map((name, at) => ({
      name,
      array: sql`${rows.map((row) => row[at]!)}::${arrayType(types[at]!)}`,
    }))
  })
}
