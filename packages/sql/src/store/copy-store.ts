import { type AnyDataStore, EntiaError, isEntiaError } from '@entia/core'
import {
  describeFound,
  handleOf,
  type RecordMoment,
  StoreMoment,
  type TableMoment,
} from '@entia/core/internal'
import { connectLong } from '../connect/long-connection.ts'
import type { SqlConnection, SqlPool, SqlValue } from '../connect/port.ts'
import { arrayType } from '../schema/bound-values.ts'
import { continueStamps, passAndTrim } from '../schema/entia-tables.ts'
import { checkDatabase } from '../schema/migrate.ts'
import { encode, writtenColumns, writtenTypes } from '../schema/row-codec.ts'
import { refuseDatabase } from '../schema/schema-errors.ts'
import { setNextNumbers } from '../schema/sequences.ts'
import {
  RECORD,
  type SqlColumn,
  type SqlModel,
  type SqlTable,
  STAMP,
  sqlModelOf,
  TIMESTAMP,
} from '../schema/sql-model.ts'
import { joined, listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN } from '../sql-builder/transaction.ts'
import { UNICODE } from './migrate-database.ts'
import { checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/** Entities of one statement. */
const ROWS = 1000

/** Where a store is copied to: options of `openSqlStore`. */
export type CopyStoreOptions = Pick<SqlStoreOptions, 'database' | 'schema' | 'tables'>

/**
 * Copies the contents of a store in memory into the tables that `migrateDatabase` made: entities
 * with their stamps, timestamps and order, sequences, and the global stamp. All or nothing, in one
 * transaction. Returns how many entities it copied. Throws `databaseDiffers` for tables that do not
 * fit the store's model or have entities already, and `valueInvalid` for an entity that PostgreSQL
 * cannot store, with its key.
 *
 * @example
 * ```ts
 * import { migrateDatabase } from '@entia/sql'
 * import { pglitePool } from '@entia/sql/pglite'
 * const options = { name: 'hr', dataClasses, database: pglitePool() }
 * await migrateDatabase(options)
 * await copyStore(store, options) // → 3
 * await options.database.close()
 * ```
 */
export async function copyStore(store: AnyDataStore, options: CopyStoreOptions): Promise<number> {
  const { catalog } = handleOf(store)
  const { schema } = checkSqlOptions({
    ...options,
    name: catalog.name,
    dataClasses: [],
  })
  const { database, tables } = options
  const model = sqlModelOf(catalog, { schema, tables })
  await checkDatabase(database, model, UNICODE)
  return copyModel(store, model, database)
}

/** The same for tables that are worked out already and fit the store's model. */
export function copyModel(store: AnyDataStore, model: SqlModel, pool: SqlPool): Promise<number> {
  const { writer } = handleOf(store)
  const moment = new StoreMoment(writer.tables, writer.globalStamp)
  return connectLong(pool, async (connection) => {
    const send = async (...pieces: readonly Sql[]): Promise<void> => {
      await connection.send(pieces.map(statementOf))
    }
    await connection.send([BEGIN])
    await refuseEntities(connection, model)
    if (moment.globalStamp === 0) {
      // Nothing was ever written, so the copy is no commit.
      await send(sql`COMMIT`)
      return 0
    }
    let count = 0
    for (const table of moment.tables)
      count += await copyTable(connection, model.tables[table.table.model.ordinal]!, table)
    const names = moment.tables.map(({ table }) => table.model.name)
    const { schema } = model
    await send(
      setNextNumbers(
        schema,
        names,
        moment.tables.map(({ sequence }) => sequence),
      ),
      // The copy is the last commit of the store; after entities that were removed, the next one.
      continueStamps(schema, moment.globalStamp - 1),
      passAndTrim(
        schema,
        'copy ',
        names,
        moment.tables.map((each) => each.count),
      ),
      sql`DELETE FROM ${new SqlName(schema, 'entia_change')}`,
      sql`COMMIT`,
    )
    return count
  })
}

async function refuseEntities(connection: SqlConnection, model: SqlModel): Promise<void> {
  const classes = model.tables.map(
    (table) => sql`SELECT ${table.model.name}::text WHERE EXISTS (SELECT FROM ${table.name})`,
  )
  const [found] = await connection.send([statementOf(joined(classes, sql` UNION ALL `))])
  const filled = found!.rows.map(([name]) => `Dataclass "${name}" has entities already.`)
  if (filled.length > 0)
    refuseDatabase(model.schema, filled, 'Copy into a new schema, or drop this one first.')
}

async function copyTable(
  connection: SqlConnection,
  table: SqlTable,
  moment: TableMoment,
): Promise<number> {
  const sequence = sql`pg_get_serial_sequence(${table.name.quoted}, ${RECORD.plain})::regclass`
  // Former entities had the numbers before.
  const [numbers] = await connection.send([statementOf(sql`SELECT nextval(${sequence})`)])
  const first = Number(numbers!.rows[0]![0])
  let rows: RecordMoment[] = []
  let last = -1
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await connection.send([statementOf(insertion(table, rows, first))])
    rows = []
  }
  for (const row of moment.records()) {
    rows.push(row)
    last = row.slot
    if (rows.length >= ROWS) await flush()
  }
  await flush()
  if (last >= 0)
    await connection.send([statementOf(sql`SELECT setval(${sequence}, ${first + last}::bigint)`)])
  return moment.count
}

function insertion(table: SqlTable, rows: readonly RecordMoment[], first: number): Sql {
  const arrays: Sql[] = [
    sql`${rows.map(({ slot }) => first + slot)}::bigint[]`,
    sql`${rows.map(({ stamp }) => stamp)}::integer[]`,
    sql`${rows.map(({ timestamp }) => timestamp)}::bigint[]`,
  ]
  const names: SqlName[] = [RECORD, STAMP, TIMESTAMP]
  for (const column of table.columns) {
    const cells = rows.map((row) => cellsOf(table, column, row))
    for (const [at, name] of writtenColumns(column).entries()) {
      const values: SqlValue[] = cells.map((cell) => cell[at]!)
      names.push(name)
      arrays.push(sql`${values}::${arrayType(writtenTypes(column)[at]!)}`)
    }
  }
  return sql`INSERT INTO ${table.name} (${listed(names)}) SELECT * FROM unnest(${listed(arrays)})`
}

/** Throws `valueInvalid`, which names the entity: it is one of many. */
function cellsOf(
  table: SqlTable,
  column: SqlColumn,
  { values }: RecordMoment,
): readonly SqlValue[] {
  try {
    return encode(column, values[column.attribute.ordinal] ?? null)
  } catch (error) {
    if (!isEntiaError(error, 'valueInvalid')) throw error
    const { details } = error
    const key = describeFound(values[table.model.key.ordinal])
    throw new EntiaError('valueInvalid', {
      ...details,
      found: `${details.found} of the entity whose key is ${key}`,
    })
  }
}
