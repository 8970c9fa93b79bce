import type { DatabaseState } from './database-state.ts'
import { refuseDatabase } from './schema-errors.ts'
import type { SqlModel } from './sql-model.ts'

// Row level security. Counts, unique values and decisions are about all entities of a dataclass,
// and those that the role does not see would be missing in a part of them.

export const REMEDY_HIDDEN =
  'Connect as a role with BYPASSRLS, or disable row level security for these tables.'

/** What hides rows of the model's tables from the role; null if it sees all. */
export function hiddenRows({ tables }: SqlModel, database: DatabaseState): string | null {
  const ours = new Set([...tables.map(({ name }) => name.plain), ...database.classes.values()])
  const filtered = Array.from(database.tables)
    .filter(([name, { isFiltered }]) => isFiltered && (ours.has(name) || isOfEntia(name)))
    .map(([name]) => `"${name}"`)
  if (filtered.length === 0) return null
  return `Row level security applies to the role of this connection in the tables ${filtered.join(', ')}.`
}

const isOfEntia = (name: string): boolean => name.startsWith('entia_')

/** Throws `databaseDiffers` if the role does not see all rows. */
export function refuseHiddenRows(model: SqlModel, database: DatabaseState): void {
  const found = hiddenRows(model, database)
  if (found !== null) refuseDatabase(model.schema, [found], REMEDY_HIDDEN)
}
