import type { PgPoolOptions } from '../src/pg.ts'

/**
 * `ENTIA_SQL_POOLER=transaction`: the address is that of a pooler, such as PgBouncer. Tests that
 * set parameters of a connection, or look into a session, are skipped.
 */
export const isPooled = process.env.ENTIA_SQL_POOLER === 'transaction'

export const POOLING: Pick<PgPoolOptions, 'prepare' | 'statementMilliseconds'> = isPooled
  ? { prepare: false, statementMilliseconds: 0 }
  : {}
