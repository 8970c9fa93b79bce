import { randomBytes } from 'node:crypto'
import { type AnyDataStore, isEntiaError } from '@entia/core'
import { handleOf, type ServerStateLimits } from '@entia/core/internal'
import type { Every } from '@entia/engine'
import { createRestHandler } from '@entia/rest'
import type { ConformanceHost } from '../../../testing/src/conformance/index.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import type { Pause } from '../../src/live/commit-poller.ts'
import type { Mirror } from '../../src/mirror/mirror.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { processTime } from '../../src/server-state/state-port.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { copyModel } from '../../src/store/copy-store.ts'
import { migrateModel } from '../../src/store/migrate-database.ts'
import { openModel } from '../../src/store/open-sql-store.ts'
import {
  checkSqlOptions,
  type SqlStore,
  type SqlStoreOptions,
} from '../../src/store/sql-options.ts'

type CopyOptions = Pick<
  SqlStoreOptions,
  'limits' | 'mirror' | 'onError' | 'transactions' | 'volatileState' | keyof ServerStateLimits
>

/** Nothing is swept: tests drop whole schemas. */
const noTimer: Every = () => () => {}

/** Opens a copy of a store in memory in a schema of its own. */
export async function openCopy(
  store: AnyDataStore,
  pool: SqlPool,
  schema: string,
  limits: CopyOptions = {},
  pause?: Pause,
): Promise<SqlStore> {
  const { ids } = handleOf(store)
  await migrateModel(sqlModelOf(store.catalog, { schema }), pool, {
    ids: { ...ids, uuid: () => store.id },
  })
  return openCopyIn(store, pool, schema, limits, pause)
}

/** The same in a schema that has the tables, all of them empty. */
export async function openCopyIn(
  store: AnyDataStore,
  pool: SqlPool,
  schema: string,
  limits: CopyOptions = {},
  pause?: Pause,
): Promise<SqlStore> {
  const { clock, ids } = handleOf(store)
  const checked = {
    ...checkSqlOptions({
      name: store.catalog.name,
      dataClasses: [],
      database: pool,
      schema,
      sharing: { cacheMilliseconds: 0 },
      ...limits,
    }),
    clock,
    ids,
  }
  const model = sqlModelOf(store.catalog, { schema })
  await copyModel(store, model, pool)
  return openModel(model, pool, checked, processTime(clock), pause, noTimer)
}

/** Serves copies of stores in a database; `mirrors`: with all their dataclasses in memory too. */
export function sqlHost(pool: SqlPool, errors: unknown[], mirrors = false): ConformanceHost {
  return {
    mayDiffer: { etag: 'lives have other numbers' },
    async open(store, options) {
      const schema = `conf_${randomBytes(6).toString('hex')}`
      const dataClasses = store.catalog.classes.map(({ name }) => name)
      const served = await openCopy(store, pool, schema, mirrors ? { mirror: { dataClasses } } : {})
      await served.mirror?.filled()
      const rest = createRestHandler(served, {
        ...options,
        onError: (error) => {
          if (!isEntiaError(error)) errors.push(error)
        },
      })
      return {
        request: (request) => rest.handle({ ...request, remoteAddress: '127.0.0.1' }),
        close: async () => {
          // The pool is that of all cases.
          ;(served.mirror as Mirror | null)?.close()
          await pool.query(statementOfText(`DROP SCHEMA "${schema}" CASCADE`, []))
        },
      }
    },
  }
}
