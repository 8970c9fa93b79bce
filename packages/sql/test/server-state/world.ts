import { createHash } from 'node:crypto'
import {
  attribute,
  type Clock,
  createDataStore,
  defineDataClass,
  EntiaError,
  type Ids,
} from '@entia/core'
import type { ServerStateLimits } from '@entia/core/internal'
import type { SqlPool } from '../../src/connect/port.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import type { LockTarget } from '../../src/server-state/lock-pieces.ts'
import { SqlServerState } from '../../src/server-state/server-state.ts'
import { processTime, type StatePort } from '../../src/server-state/state-port.ts'
import { createStateTables, stateTables } from '../../src/server-state/tables.ts'
import { type Sql, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { run } from '../database.ts'

export const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  v: attribute.long({ notNull: true }),
})

/** A clock that tests move. */
export class TestClock implements Clock {
  time = 1_700_000_000_000
  now(): number {
    return this.time
  }
  monotonic(): number {
    return this.time
  }
}

/** Ids that differ between worlds and never repeat. */
export class CountedIds implements Ids {
  readonly #name: string
  #count = 0
  constructor(name: string) {
    this.#name = name
  }
  uuid(): string {
    return this.token().slice(0, 32)
  }
  token(): string {
    return createHash('sha256')
      .update(`${this.#name} ${this.#count++}`)
      .digest('hex')
  }
}

export const SMALL_LIMITS: ServerStateLimits = {
  sessions: { idleSeconds: 60, maxSeconds: 300, max: 6, maxGuests: 4, maxPerAddress: 2 },
  locks: { maxPerSession: 2 },
  entitySets: { max: 5, maxPerSession: 2, maxBytes: 30 * 8 },
  uploads: { max: 3, maxBytes: 20 },
}

/** The tables of the model next to those of the server state, in an existing schema. */
export async function createTables(pool: SqlPool, schema: string): Promise<void> {
  for (const { text } of createStateTables(stateTables(schema))) await run(pool, text)
  await pool.query(
    statementOf(sql`CREATE TABLE ${itemTable(schema).name} (_rec bigint PRIMARY KEY,
      _stamp integer NOT NULL, _ts bigint NOT NULL DEFAULT 0, "ID" integer NOT NULL UNIQUE,
      v integer NOT NULL)`),
  )
}

const modelOf = (schema: string): SqlModel =>
  sqlModelOf(createDataStore({ name: 'items', dataClasses: [Item] }).catalog, { schema })

const models = new Map<string, SqlModel>()
export function itemTable(schema: string): SqlModel['tables'][number] {
  let model = models.get(schema)
  if (model === undefined) {
    model = modelOf(schema)
    models.set(schema, model)
  }
  return model.tables[0]!
}

export const itemAt = (schema: string, key: number): LockTarget => ({
  table: itemTable(schema),
  where: sql`t."ID" = ${key}::integer`,
})

let worlds = 0

/** A process over the database. */
export function processOver(
  pool: SqlPool,
  schema: string,
  clock: Clock,
  options: Partial<StatePort> = {},
  limits = SMALL_LIMITS,
): SqlServerState {
  const ids = new CountedIds(`process ${worlds++}`)
  const tables = stateTables(schema)
  const time = processTime(clock)
  return new SqlServerState(
    { pool, tables, time, clock, ids, cacheMilliseconds: 0, ...options },
    limits,
  )
}

/** The outcome of a call: its result, or its error as data. */
export async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return { result: await call() }
  } catch (error) {
    if (!(error instanceof EntiaError)) throw error
    const { code, message, details } = error
    return { code, message, details }
  }
}

/** Record numbers of this process as a query for `NewSet.records`. */
export const listedRecords = (records: readonly number[]): Sql =>
  sql`SELECT u.rec FROM unnest(${records}::bigint[]) WITH ORDINALITY AS u(rec, place)
    ORDER BY u.place`
