import type { AnyDataStore } from '@entia/core'
import { handleOf, type WorkingRow } from '@entia/core/kit'
import type { SqlConnection, SqlPool } from '../connect/port.ts'
import type { StampMode } from '../schema/entia-tables.ts'
import { RECORD, readRow, rowColumns } from '../schema/row-sql.ts'
import { type SqlModel, sqlModelOf } from '../schema/sql-model.ts'
import { joined, SqlName, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { fromPlace, rootPlace } from '../translate/place.ts'
import { copyModel } from './copy-store.ts'
import {
  checkModel,
  type MigrateDatabaseOptions,
  migrateModel,
  openModel,
  type SqlStoreMembers,
} from './open-sql-store.ts'
import { checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/** Where the data of a store in memory are, or go. */
export interface StoreDatabaseOptions {
  readonly database: SqlPool
  /** The PostgreSQL schema: the store's name unless given. */
  readonly schema?: string | undefined
  readonly tables?: NonNullable<SqlStoreOptions['tables']>
  readonly globalStamp?: StampMode
}

/** A database with the model of a store in memory. */
export interface StoreDatabase {
  /** As `migrateDatabase`. */
  migrate(options?: MigrateDatabaseOptions): Promise<readonly string[]>
  /** True if no dataclass has an entity. Throws `databaseDiffers`. */
  isEmpty(): Promise<boolean>
  /** Copies the contents of the store into an empty database: stamps, timestamps and order too. */
  copyIn(): Promise<number>
  /** Replaces the contents of the store by those of the database, in the same way. */
  copyOut(): Promise<number>
  /** The store over the database, with the functions of the store in memory. Served as that one. */
  open(): Promise<SqlStoreMembers>
}

/** Entities of one statement. */
const ROWS = 1000

/** Opens nothing yet. `database.close()` is left to the caller, or to the store that `open` returns. */
export function databaseOf(
  store: AnyDataStore,
  { database, ...options }: StoreDatabaseOptions,
): StoreDatabase {
  const { catalog } = store
  const checked = checkSqlOptions({
    name: catalog.name,
    dataClasses: [],
    database,
    ...withoutGaps(options),
  })
  const { tables } = options
  const { schema } = checked
  const model = sqlModelOf(catalog, tables === undefined ? { schema } : { schema, tables })
  const isEmpty = async (): Promise<boolean> => {
    await checkModel(model, database, checked)
    const classes = model.tables.map(({ name }) => sql`SELECT 1 WHERE EXISTS (SELECT FROM ${name})`)
    if (classes.length === 0) return true
    return (await database.query(statementOf(joined(classes, sql` UNION ALL `)))).count === 0
  }
  return {
    migrate: (given) => migrateModel(model, database, checked, given),
    isEmpty,
    copyIn: () => copyModel(store, model, database),
    async copyOut() {
      await checkModel(model, database, checked)
      return database.connect((connection) => readInto(store, model, connection))
    },
    open: () => openModel(model, database, checked),
  }
}

const withoutGaps = ({ schema, globalStamp }: Omit<StoreDatabaseOptions, 'database'>) => ({
  ...(schema === undefined ? {} : { schema }),
  ...(globalStamp === undefined ? {} : { globalStamp }),
})

/** Reads everything of one moment. Memory: all rows, once. */
async function readInto(
  store: AnyDataStore,
  model: SqlModel,
  connection: SqlConnection,
): Promise<number> {
  const { schema } = model
  const [, head, sequences] = await connection.send([
    statementOf(sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`),
    statementOf(sql`SELECT stamp FROM ${new SqlName(schema, 'entia_store')}`),
    statementOf(sql`SELECT class, next FROM ${new SqlName(schema, 'entia_sequence')}`),
  ])
  const next = new Map(sequences!.rows.map(([name, value]) => [String(name), Number(value)]))
  const read: (readonly WorkingRow[])[] = []
  for (const table of model.tables) read.push(await rowsOf(model, table, connection))
  handleOf(store).writer.replace((tables, nextBirth) => {
    for (const table of tables) {
      for (const slot of table.liveSlots()) table.removeAt(slot, table.readAll(slot))
      const rows = read[table.model.ordinal]!
      table.reserve(rows.length)
      for (const { values, stamp, timestamp } of rows) {
        for (const [column, value] of values.entries()) table.admit(column, value)
        table.insertAt(table.lowestFree, values, stamp, timestamp, nextBirth())
      }
      table.sequence = next.get(table.model.name) ?? table.sequence
    }
    return Number(head!.rows[0]![0])
  })
  return read.reduce((count, rows) => count + rows.length, 0)
}

/** In record order. */
async function rowsOf(
  model: SqlModel,
  { model: dataClass }: SqlModel['tables'][number],
  connection: SqlConnection,
): Promise<readonly WorkingRow[]> {
  const at = rootPlace(model, dataClass)
  const rows: WorkingRow[] = []
  for (let last = -1; ; ) {
    const [page] = await connection.send([
      statementOf(
        sql`SELECT ${rowColumns(at)} FROM ${fromPlace(at)} WHERE ${at.alias}.${RECORD} > ${last}::bigint ORDER BY ${at.alias}.${RECORD} LIMIT ${ROWS}::bigint`,
      ),
    ])
    for (const row of page!.rows) rows.push(readRow(model, dataClass, row))
    if (page!.rows.length < ROWS) return rows
    last = rows.at(-1)!.record
  }
}
