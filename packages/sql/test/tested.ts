import type { PgPoolOptions } from '../src/pg.ts'
import type { StampMode } from '../src/schema/entia-tables.ts'

/**
 * `ENTIA_SQL_POOLER=transaction`: the address is that of a pooler, such as PgBouncer. Tests that
 * set parameters of a connection, or look into a session, are skipped.
 */
export const isPooled = process.env.ENTIA_SQL_POOLER === 'transaction'

export const POOLING: Pick<PgPoolOptions, 'prepare' | 'statementMilliseconds'> = isPooled
  ? { prepare: false, statementMilliseconds: 0 }
  : {}

/** `ENTIA_SQL_MODE=rising`: the mode of the stores of tests that run in both modes. */
export const TESTED_MODE: StampMode = process.env.ENTIA_SQL_MODE === 'rising' ? 'rising' : 'exact'

export const isRising = TESTED_MODE === 'rising'

export const withoutGlobalStamps = (body: string): string =>
  body.replaceAll(/"__GlobalStamp":\s*\d+/g, '"__GlobalStamp":0')

/** A reply as it can be compared: in the mode `rising` other transactions raise global stamps. */
export const comparableStamps = (body: string): string =>
  isRising ? withoutGlobalStamps(body) : body

/** The same for a parsed reply. */
export const comparableStamp = <B extends object>(body: B): B =>
  isRising ? { ...body, __GlobalStamp: 0 } : body
