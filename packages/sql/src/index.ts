// The model and the interface of Entia over PostgreSQL.

export { DatabaseError, type DatabaseFailure } from './connect/database-error.ts'
export type {
  PoolState,
  SendListener,
  SqlConnection,
  SqlPool,
  SqlRows,
  SqlValue,
  Statement,
} from './connect/port.ts'
export type { HistoryLimits } from './live/trim-history.ts'
export type { VolatileState, WakeUps } from './live/wake-ups.ts'
export type { SqlMirror } from './mirror/mirror.ts'
export type { MigrateDatabaseOptions } from './schema/migrate.ts'
export type { TableNames } from './schema/sql-model.ts'
export { type CopyStoreOptions, copyStore } from './store/copy-store.ts'
export { migrateDatabase } from './store/migrate-database.ts'
export { openSqlStore } from './store/open-sql-store.ts'
export type {
  OpenSqlStore,
  SqlMirrorOptions,
  SqlReadingLimits,
  SqlRequestLimits,
  SqlSessionOptions,
  SqlStore,
  SqlStoreMembers,
  SqlStoreOptions,
  SqlTransactionLimits,
} from './store/sql-options.ts'
export {
  databaseOf,
  type StoreDatabase,
  type StoreDatabaseOptions,
} from './store/store-database.ts'
export { verifyDatabase } from './store/verify-database.ts'
export type { DatabaseProblem, ProblemKind } from './verify/problem.ts'
export type { Verification, VerifyOptions } from './verify/verify-database.ts'
