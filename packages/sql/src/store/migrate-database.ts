import { buildCatalog } from '@entia/core/internal'
import type { SqlPool } from '../connect/port.ts'
import { newEpochFunction } from '../schema/dataset.ts'
import { definition } from '../schema/definition.ts'
import { checkDatabase, type MigrateDatabaseOptions, migrate } from '../schema/migrate.ts'
import { type SqlModel, sqlModelOf } from '../schema/sql-model.ts'
import { createStateTables, stateTables } from '../server-state/tables.ts'
import { expectFunction } from '../write/row-lock-sql.ts'
import { type CheckedSqlOptions, checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/** Throws `databaseDiffers` for a database that does not fit the tables. */
export const checkModel = (model: SqlModel, pool: SqlPool): Promise<void> =>
  checkDatabase(pool, model, UNICODE)

/**
 * Makes a database fit the model of a store, and answers what was done, or with `dryRun` what would
 * be: nothing the second time. Throws `databaseDiffers` for what cannot be done.
 *
 * @example
 * ```ts
 * import { pglitePool } from '@entia/sql/pglite'
 * const options = { name: 'hr', dataClasses, database: pglitePool() }
 * const steps = await migrateDatabase(options)
 * steps.length > 0 // → true
 * await options.database.close()
 * ```
 */
export function migrateDatabase(
  options: SqlStoreOptions,
  how: MigrateDatabaseOptions = {},
): Promise<readonly string[]> {
  const checked = checkSqlOptions(options)
  const model = tablesOf(options, checked)
  return migrateModel(model, options.database, checked, how)
}

/** The same for tables that are worked out already. */
export function migrateModel(
  model: SqlModel,
  pool: SqlPool,
  { ids }: Pick<CheckedSqlOptions, 'ids'>,
  how: MigrateDatabaseOptions = {},
): Promise<readonly string[]> {
  return migrate(pool, model, {
    ...how,
    newInstance: () => ids.uuid().replaceAll('-', '').toUpperCase(),
    unicode: UNICODE,
    furtherTables: [
      ...createStateTables(stateTables(model.schema)),
      ...[expectFunction(model.schema), ...newEpochFunction(model.schema)].map(definition),
    ],
  })
}

/** The version of Unicode that this process folds texts with. */
export const UNICODE = process.versions.unicode ?? 'unknown'

/** The tables of the model of some options. Throws `modelInvalid`. */
export function tablesOf(options: SqlStoreOptions, { schema }: CheckedSqlOptions): SqlModel {
  return sqlModelOf(buildCatalog({ ...options }), { schema, tables: options.tables })
}
