import type { SqlName } from '../sql-builder/sql.ts'
import type { DatabaseState } from './database-state.ts'

/** A part of the tables of Entia. */
export interface Part {
  readonly table: string
  readonly column?: string
  readonly index?: string
}

/** A statement that defines what Entia has in a schema beside the tables of the dataclasses. */
export interface Definition {
  readonly text: string
  /**
   * What it adds: a database that has it is not sent the statement, which would lock the table also
   * with `IF NOT EXISTS`. Null for one that locks no table: it is sent each time.
   */
  readonly part: Part | null
}

/** One that is sent each time. */
export const definition = (text: string): Definition => ({ text, part: null })

/** A table that is made if it does not exist; `parts` is what its parentheses hold. */
export const tableOf = (table: SqlName, parts: string, kind = 'TABLE'): Definition => ({
  text: `CREATE ${kind} IF NOT EXISTS ${table.quoted} (${parts})`,
  part: { table: table.plain },
})

/** A column that earlier releases did not have. */
export const columnOf = (table: SqlName, column: string, type: string): Definition => ({
  text: `ALTER TABLE ${table.quoted} ADD COLUMN IF NOT EXISTS ${column} ${type}`,
  part: { table: table.plain, column },
})

/** An index; `what` is the list of its columns and the rest. */
export const indexOf = (
  table: SqlName,
  index: string,
  what: string,
  kind = 'INDEX',
): Definition => ({
  text: `CREATE ${kind} IF NOT EXISTS ${index} ON ${table.quoted} ${what}`,
  part: { table: table.plain, index },
})

/** True if a database has no such table, or not the column or index of it. */
export function lacksPart({ tables }: DatabaseState, { table, column, index }: Part): boolean {
  const found = tables.get(table)
  if (found === undefined) return true
  if (column !== undefined) return !found.columns.has(column)
  return index !== undefined && !found.indexes.has(index)
}
