import { type Verification, type VerifyOptions, verifyModel } from '../verify/verify-database.ts'
import { tablesOf, UNICODE } from './migrate-database.ts'
import { checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/**
 * Reads a whole database in one snapshot, and reports what is not as Entia leaves it: keys, unique
 * values, relations, stamps, counts, sequences, history, locks and entity sets. It changes nothing,
 * and processes may serve the database meanwhile. Rejects with `DatabaseError`. Cost: reads every
 * table several times; memory is bounded.
 *
 * @example
 * ```ts
 * import { migrateDatabase } from '@entia/sql'
 * import { pglitePool } from '@entia/sql/pglite'
 * const options = { name: 'hr', dataClasses, database: pglitePool() }
 * await migrateDatabase(options)
 * const { problems } = await verifyDatabase(options)
 * problems.length // → 0
 * await options.database.close()
 * ```
 */
export async function verifyDatabase(
  options: SqlStoreOptions,
  how: VerifyOptions = {},
): Promise<Verification> {
  const checked = checkSqlOptions(options)
  return verifyModel(tablesOf(options, checked), options.database, UNICODE, how)
}
