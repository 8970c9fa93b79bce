export { type ExistingPoolOptions, type PgPoolOptions, pgPool } from './connect/pg-pool.ts'
export type { SqlPool } from './connect/port.ts'
