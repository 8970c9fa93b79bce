import { attribute, defineDataClass } from '@entia/core'
import { buildCatalog, SERVER_STATE_OPTIONS } from '@entia/core/internal'
import { createRestHandler, type RestHandler } from '@entia/rest'
import pg from 'pg'
import { pgPool } from '../../src/pg.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { databaseTime } from '../../src/server-state/state-port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openModel } from '../../src/store/open-sql-store.ts'
import { checkSqlOptions, type SqlStoreOptions } from '../../src/store/sql-options.ts'
import { POOLING } from '../tested.ts'

const Task = defineDataClass('Task', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ indexed: true }),
  done: attribute.bool(),
  weight: attribute.number({ indexed: true }),
  place: attribute.long(),
  photo: attribute.image(),
})

const { sessions, entitySets, uploads } = SERVER_STATE_OPTIONS

/** Limits that a day reaches. */
export const LIMITS = {
  sessions: { ...sessions.defaults, max: 1000, maxGuests: 200, maxPerAddress: 200 },
  entitySets: { ...entitySets.defaults, maxBytes: 100_000 },
  uploads: { ...uploads.defaults, max: 20 },
  history: { commits: 200, hours: 2 },
} as const

/** Statements that a connection may have prepared when it is replaced after its last use. */
export const MAX_PREPARED = 257

/** A process that serves tasks, or its replacement in a test. */
export interface Office {
  readonly rest: RestHandler
  /** Deletes what is no longer needed, as a process does each minute. */
  readonly tick: () => void
  /** Prepared statements of each open connection. */
  prepared(): Promise<readonly number[]>
  readonly failures: readonly unknown[]
  close(): Promise<void>
}

/** Opens a store of tasks with connections of its own. `migrates`: in the first process. */
export async function openOffice(
  connectionString: string,
  schema: string,
  migrates: boolean,
): Promise<Office> {
  const connections = new pg.Pool({ connectionString, max: 2, ...PIPELINED })
  const open = new Set<pg.PoolClient>()
  connections.on('connect', (client) => open.add(client))
  connections.on('remove', (client) => open.delete(client))
  const failures: unknown[] = []
  const options: SqlStoreOptions = {
    name: 'office',
    dataClasses: [Task],
    database: pgPool(connections, POOLING),
    schema,
    ...LIMITS,
    onError: (error) => failures.push(error),
  }
  if (migrates) await migrateDatabase(options)
  const checked = checkSqlOptions(options)
  const ticks: (() => void)[] = []
  const store = await openModel(
    sqlModelOf(buildCatalog({ ...options }), { schema }),
    options.database,
    checked,
    databaseTime,
    undefined,
    (_milliseconds, tick) => {
      ticks.push(tick)
      return () => {}
    },
  )
  return {
    rest: createRestHandler(store),
    tick: () => {
      for (const each of ticks) each()
    },
    async prepared() {
      const counts = [...open].map(async (client) => {
        const { rows } = await client.query(
          'SELECT count(*)::int AS count FROM pg_prepared_statements',
        )
        return (rows[0] as { count: number }).count
      })
      return Promise.all(counts)
    },
    failures,
    async close() {
      await store.close()
      await connections.end()
    },
  }
}

/** The types of `pg` do not have it yet. */
const PIPELINED: object = { pipeline: true }
