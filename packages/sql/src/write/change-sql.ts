import type { ClassModel } from '@entia/core'
import type { WorkingChange } from '@entia/engine'
import { type ValueColumn, valueRows } from '../schema/bound-values.ts'
import { encode, writtenColumns, writtenTypes } from '../schema/row-codec.ts'
import { RECORD, STAMP, TIMESTAMP } from '../schema/row-sql.ts'
import type { SqlColumn, SqlModel, SqlTable } from '../schema/sql-model.ts'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'

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
  const removed = changes.filter(({ kind }) => kind === 'remove')
  const inserted = changes.filter(({ kind }) => kind === 'insert')
  const stampsOf = (list: readonly WorkingChange[]): readonly number[] =>
    list.map(({ record }) => stampOf(dataClass, record!))
  return [
    ...(removed.length === 0 ? [] : [removal(table, removed, stampsOf(removed))]),
    ...updatesByColumns(changes).map((list) => update(table, list, stampsOf(list))),
    ...(inserted.length === 0 ? [] : [insertion(table, inserted)]),
  ]
}

/** Updates that write the same columns. */
function updatesByColumns(
  changes: readonly WorkingChange[],
): readonly (readonly WorkingChange[])[] {
  const lists = new Map<string, WorkingChange[]>()
  for (const change of changes) {
    if (change.kind !== 'update') continue
    const columns = [...change.changed].sort((a, b) => a - b).join()
    const list = lists.get(columns)
    if (list === undefined) lists.set(columns, [change])
    else list.push(change)
  }
  return [...lists.values()]
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
  const written = [...changes[0]!.changed].sort((a, b) => a - b).map((at) => columns[at]!)
  const cells = [...versionCells(changes), ...attributeCells(written, changes)]
  const placed = inPlaces(cells)
  const assigned = cells.map((cell, at) => sql`${cell.name} = v.${placed[at]!.name}`)
  const rows = valueRows([...foundColumns(changes, stamps), ...placed])
  return {
    statement: sql`UPDATE ${name} AS t SET ${joined(assigned, sql`, `)} FROM ${rows} WHERE ${IS_FOUND}`,
    rows: changes.length,
  }
}

function insertion({ name, columns }: SqlTable, changes: readonly WorkingChange[]): ChangeSql {
  const cells = [...versionCells(changes), ...attributeCells(columns, changes)]
  const placed = inPlaces(cells)
  const rows = valueRows([placeColumn(changes), ...placed])
  // Record numbers are given in the order of the list.
  return {
    statement: sql`INSERT INTO ${name} (${namesOf(cells)}) SELECT ${namesOf(placed)} FROM ${rows} ORDER BY v.${PLACE}`,
    rows: changes.length,
  }
}

/**
 * The statement that inserts new entities whose keys are in `numbers`: a relation of `place`, their
 * place in the list, and `number`. Answers `rec` and `number`.
 */
export function numberedInsertion(
  { name, columns, model }: SqlTable,
  changes: readonly WorkingChange[],
  numbers: SqlName,
): Sql {
  const key = columns[model.key.ordinal]!
  const others = columns.filter((column) => column !== key)
  const cells = [...versionCells(changes), ...attributeCells(others, changes)]
  const placed = inPlaces(cells)
  const rows = valueRows([placeColumn(changes), ...placed])
  return sql`INSERT INTO ${name} (${key.name}, ${namesOf(cells)}) SELECT n.number, ${namesOf(placed)} FROM ${rows} JOIN ${numbers} AS n ON n.place = v.${PLACE} ORDER BY v.${PLACE} RETURNING ${RECORD} AS rec, ${key.name} AS number`
}

/** The places of changes in their list. */
export const placeColumn = (changes: readonly WorkingChange[]): ValueColumn => ({
  name: PLACE,
  type: 'integer',
  values: changes.map((_, at) => at),
})

const PLACE = new SqlName('place')
const FOUND_RECORD = new SqlName('rec')
const FOUND_STAMP = new SqlName('stamp')
const IS_FOUND = sql`t.${RECORD} = v.${FOUND_RECORD} AND t.${STAMP} = v.${FOUND_STAMP}`

/** Named by their places: columns of a table could have the names of the other values. */
const inPlaces = (cells: readonly ValueColumn[]): readonly ValueColumn[] =>
  cells.map((cell, at) => ({ ...cell, name: new SqlName(`c${at}`) }))
const namesOf = (columns: readonly ValueColumn[]): Sql =>
  joined(
    columns.map(({ name }) => name),
    sql`, `,
  )

/** The entities as the decision found them. */
const foundColumns = (
  changes: readonly WorkingChange[],
  stamps: readonly number[],
): readonly ValueColumn[] => [
  { name: FOUND_RECORD, type: 'bigint', values: changes.map(({ record }) => record!) },
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
    const rows = changes.map(({ after }) =>
      encode(column, after![column.attribute.ordinal] ?? null),
    )
    const types = writtenTypes(column)
    return writtenColumns(column).map((name, at) => ({
      name,
      type: types[at]!,
      values: rows.map((row) => row[at]!),
    }))
  })
}
