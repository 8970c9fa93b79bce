import type { PgPoolOptions } from '../src/pg.ts'
import type { StampMode } from '../src/schema/entia-tables.ts'

/** `ENTIA_SQL_POOLER=transaction`: the address is that of a pooler, such as PgBouncer. */
export const POOLING: Pick<PgPoolOptions, 'prepare' | 'statementMilliseconds'> =
  process.env.ENTIA_SQL_POOLER === 'transaction' ? { prepare: false, statementMilliseconds: 0 } : {}

/** `ENTIA_SQL_MODE=rising`: the mode of the stores of tests that run in both modes. */
export const TESTED_MODE: StampMode = process.env.ENTIA_SQL_MODE === 'rising' ? 'rising' : 'exact'
