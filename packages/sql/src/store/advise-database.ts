import { adviseModel, type DatabaseAdvice } from '../advise/advise-database.ts'
import { tablesOf } from './open-sql-store.ts'
import { checkSqlOptions, type SqlStoreOptions } from './sql-options.ts'

/**
 * What the statistics of a database say about the model: indexes that nothing uses, tables that are
 * read from end to end, missing statistics, dead rows. Two round trips. Rejects with
 * `DatabaseError`.
 */
export async function adviseDatabase(options: SqlStoreOptions): Promise<readonly DatabaseAdvice[]> {
  return adviseModel(tablesOf(options, checkSqlOptions(options)), options.database)
}
