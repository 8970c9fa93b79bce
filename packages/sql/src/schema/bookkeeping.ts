import type { SqlConnection } from '../connect/port.ts'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { type DatabaseState, stateByClass } from './database-state.ts'
import { continueStamps, stampsBehind } from './entia-tables.ts'
import { numbersBehind, passAllNumbers } from './sequences.ts'
import type { SqlColumn, SqlModel, SqlTable } from './sql-model.ts'

// The rows of `entia_store`, `entia_class` and `entia_sequence`, which a migration writes.

/**
 * True if a database that needs no step has rows of the store, its dataclasses or sequences that do
 * not fit: after a restore, for instance, or because another program wrote to the tables. One round
 * trip. It locks nothing. Cost: reads the highest number of each sequence.
 */
export async function mustBook(
  { send }: SqlConnection,
  model: SqlModel,
  database: DatabaseState,
): Promise<boolean> {
  if (model.tables.some((table) => !isNoted(table, database))) return true
  const behind = [stampsBehind(model.schema), ...numbersBehind(model)]
  const [found] = await send([statementOf(joined(behind, sql` UNION ALL `))])
  return found!.rows.some(([isBehind]) => isBehind === true)
}

/** True if a dataclass has the row in `entia_class` that a migration would write. */
function isNoted(
  { model, name, columns, isExisting }: SqlTable,
  { tables, classes, existing }: DatabaseState,
): boolean {
  if (classes.get(model.name) !== name.plain) return false
  if (existing.has(name.plain) !== isExisting) return false
  const found = tables.get(name.plain)?.columns
  return columns.every((column) => found?.get(column.name.plain)?.kind === column.kind)
}

/** By the name of the column. */
const kindsOf = (columns: readonly SqlColumn[]): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name, kind }) => [name.plain, kind])))

/** True if `forgetTables` forgets a dataclass. */
export function mustForget(model: SqlModel, { classes, tables }: DatabaseState): boolean {
  const places = new Map(model.tables.map(({ model, name }) => [model.name, name.plain]))
  return Array.from(classes).some(
    ([name, table]) => !tables.has(table) || (places.get(name) ?? table) !== table,
  )
}

/**
 * Forgets dataclasses without their former table, with their locks and entity sets: those would be
 * taken for records of another table, which has numbers and a count of its own.
 */
export function forgetTables(
  { schema, tables }: SqlModel,
  database: DatabaseState,
): readonly Sql[] {
  const classes = new SqlName(schema, 'entia_class')
  const [names, places] = [
    tables.map(({ model }) => model.name),
    tables.map(({ name }) => name.plain),
  ]
  return [
    sql`DELETE FROM ${classes} c
      WHERE to_regclass(format('%I.%I', ${schema}::text, c.name_of_table)) IS NULL
        OR c.name_of_table <> (SELECT m.place
          FROM unnest(${names}::text[], ${places}::text[]) AS m(class, place)
          WHERE m.class = c.class)`,
    ...stateByClass(database).map(
      (name) => sql`DELETE FROM ${new SqlName(schema, name)}
        WHERE class NOT IN (SELECT class FROM ${classes})`,
    ),
  ]
}

/** See `MigrateOptions`. */
interface Booked {
  readonly newInstance: () => string
  readonly unicode: string
  readonly rewrite?: boolean | undefined
}

/** The rows of the store, its dataclasses and their sequences. */
export function bookkeeping(
  model: SqlModel,
  { store }: DatabaseState,
  { newInstance, unicode, rewrite = false }: Booked,
): readonly Sql[] {
  const { schema, catalog, tables } = model
  const name = (table: string): SqlName => new SqlName(schema, table)
  const row =
    store === null
      ? sql`INSERT INTO ${name('entia_store')} (name, instance, unicode, mode)
          VALUES (${catalog.name}, ${newInstance()}, ${unicode}, 'exact')`
      : sql`UPDATE ${name('entia_store')} SET unicode = ${unicode}, mode = 'exact'`
  const isCounted = store?.isRising === false && !rewrite
  const members = isCounted ? sql`c.members` : sql`excluded.members`
  const classes = tables.map(
    ({ model, name: table, columns, isExisting }) => sql`
      INSERT INTO ${name('entia_class')} AS c (class, name_of_table, existing, kinds, members)
      SELECT ${model.name}, ${table.plain}, ${isExisting}::boolean, ${kindsOf(columns)}::jsonb,
        count(*) FROM ${table}
      ON CONFLICT (class) DO UPDATE SET name_of_table = excluded.name_of_table,
        existing = excluded.existing, kinds = c.kinds || excluded.kinds, members = ${members}`,
  )
  return [
    row,
    continueStamps(schema, 0),
    ...classes,
    // Rows may have numbers of their own since the model was without this sequence.
    ...passAllNumbers(model),
  ]
}
