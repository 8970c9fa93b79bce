export { type PglitePoolOptions, pglitePool } from './connect/pglite-pool.ts'
export type { SqlPool } from './connect/port.ts'
