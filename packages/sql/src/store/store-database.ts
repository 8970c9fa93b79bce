import type { AnyDataStore } from '@entia/core'
import { checkObject, handleOf } from '@entia/core/internal'
import { connectLong } from '../connect/long-connection.ts'
import type { SqlPool } from '../connect/port.ts'
import type { MigrateDatabaseOptions } from '../schema/migrate.ts'
import { sqlModelOf } from '../schema/sql-model.ts'
import { joined, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { type Verification, type VerifyOptions, verifyModel } from '../verify/verify-database.ts'
import { copyModel } from './copy-store.ts'
import { checkModel, migrateModel, UNICODE } from './migrate-database.ts'
import { openModel } from './open-sql-store.ts'
import { readStore } from './read-store.ts'
import { checkSqlOptions, type SqlStoreMembers, type SqlStoreOptions } from './sql-options.ts'

/** Where the data of a store in memory are, or go. */
export interface StoreDatabaseOptions {
  readonly database: SqlPool
  /** The PostgreSQL schema: the store's name unless given. */
  readonly schema?: string | undefined
  readonly tables?: NonNullable<SqlStoreOptions['tables']>
}

/** A database with the model of a store in memory. */
export interface StoreDatabase {
  /** As `migrateDatabase`. */
  migrate(options?: MigrateDatabaseOptions): Promise<readonly string[]>
  /** As `verifyDatabase`. */
  verify(options?: VerifyOptions): Promise<Verification>
  /** True if no dataclass has an entity, also without tables. */
  isEmpty(): Promise<boolean>
  /** Copies the contents of the store into an empty database: stamps, timestamps and order too. */
  copyIn(): Promise<number>
  /** Replaces the contents of the store by those of the database, in the same way. */
  copyOut(): Promise<number>
  /**
   * The store over the database. It has the functions of the store in memory, and is served alike.
   */
  open(): Promise<SqlStoreMembers>
}

/**
 * Opens nothing yet. `database.close()` is left to the caller, or to the store that `open` returns.
 *
 * @example
 * ```ts
 * import { pglitePool } from '@entia/sql/pglite'
 * const database = databaseOf(store, { database: pglitePool() })
 * await database.migrate()
 * await database.copyIn() // → 3
 * ```
 */
export function databaseOf(store: AnyDataStore, given: StoreDatabaseOptions): StoreDatabase {
  const { catalog } = handleOf(store)
  checkObject('The options', given)
  const { database, ...options } = given
  const checked = checkSqlOptions({
    name: catalog.name,
    dataClasses: [],
    database,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
  })
  const { tables } = options
  const { schema } = checked
  const model = sqlModelOf(catalog, { schema, tables })
  const isEmpty = async (): Promise<boolean> => {
    const names = model.tables.map(({ name }) => name.quoted)
    const present = sql`SELECT to_regclass(name) IS NOT NULL FROM unnest(${names}::text[]) WITH ORDINALITY AS t(name, at) ORDER BY at`
    const { rows } = await database.query(statementOf(present))
    const filled = model.tables
      .filter((_, at) => rows[at]![0] === true)
      .map(({ name }) => sql`SELECT 1 WHERE EXISTS (SELECT FROM ${name})`)
    if (filled.length === 0) return true
    return (await database.query(statementOf(joined(filled, sql` UNION ALL `)))).count === 0
  }
  return {
    migrate: (given) => migrateModel(model, database, checked, given),
    verify: (how) => verifyModel(model, database, UNICODE, how),
    isEmpty,
    copyIn: () => copyModel(store, model, database),
    async copyOut() {
      await checkModel(model, database)
      return connectLong(database, (connection) => readStore(store, model, connection))
    },
    open: () => openModel(model, database, checked),
  }
}
