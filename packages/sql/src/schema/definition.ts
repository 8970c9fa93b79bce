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

export const definition = (text: string, part: Part | null = null): Definition => ({ text, part })

/** True if a database has no such table, or not the column or index of it. */
export function lacksPart({ tables }: DatabaseState, { table, column, index }: Part): boolean {
  const found = tables.get(table)
  if (found === undefined) return true
  if (column !== undefined) return !found.columns.has(column)
  return index !== undefined && !found.indexes.has(index)
}
