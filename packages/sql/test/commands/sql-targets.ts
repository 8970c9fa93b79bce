import { randomBytes } from 'node:crypto'
import type { Untyped } from '@entia/core'
import { type Caller, DEFAULT_HOST, ENGINE, type Engine, type FollowedSince } from '@entia/engine'
import type { SqlPool } from '../../src/connect/port.ts'
import type { Mirror } from '../../src/mirror/mirror.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import type { SqlStore } from '../../src/store/sql-options.ts'
import { openCopy, openCopyIn } from '../engine/sql-host.ts'
import { type Child, startChild } from '../races/child.ts'
import type { Tables } from './club-callers.ts'
import { createClub } from './model.ts'
import type { Order, Served } from './server-process.ts'
import { inMemory, type Opened, type OtherProcess, type Target } from './targets.ts'

/** The options of every store: what the database refuses is in the answers. */
const QUIET = { onError: () => {} }

/** Two stores over one database; in the second form a program uses one of them. */
export const overSql = (pool: SqlPool): Target => ({
  reference: inMemory,
  async open({ ports }, form) {
    const schema = newSchema()
    const origin = createClub(ports)
    const one = await openCopy(origin, pool, schema, QUIET)
    const other = await openCopyIn(origin, pool, schema, QUIET)
    return {
      stores: [one, other],
      ...programOf(one, form),
      async close() {
        origin.close()
        await dropSchema(pool, schema)
      },
    }
  },
})

/**
 * The same with stores that mirror all dataclasses, and some of them. Requests tell what the ones
 * before have seen, as those of a client do.
 */
export const overMirrors = (pool: SqlPool): Target => ({
  reference: inMemory,
  async open({ ports }, form) {
    const schema = newSchema()
    const origin = createClub(ports)
    const names = origin.catalog.classes.map(({ name }) => name)
    const options = (dataClasses: readonly string[]) => ({ ...QUIET, mirror: { dataClasses } })
    const one = await openCopy(origin, pool, schema, options(names))
    const other = await openCopyIn(origin, pool, schema, options(names.slice(0, 2)))
    for (const { mirror } of [one, other]) await mirror!.filled()
    const latest = (): FollowedSince =>
      [one, other]
        .map((store) => store[ENGINE]({ host: DEFAULT_HOST, maxWaitingReads: 100 }).position!())
        .reduce((a, b) => (a.globalStamp > b.globalStamp ? a : b))
    return {
      stores: [one, other].map((store) => atPosition(store, latest)),
      ...programOf(one, form),
      async close() {
        for (const { mirror } of [one, other]) (mirror as Mirror).close()
        origin.close()
        await dropSchema(pool, schema)
      },
    }
  },
})

/** A store whose callers have seen everything up to a position. */
function atPosition(store: SqlStore, latest: () => FollowedSince): SqlStore {
  const engineOf: SqlStore[typeof ENGINE] = (options) => {
    const engine = store[ENGINE](options)
    const at = (caller: Caller): Caller => ({ ...caller, position: latest() })
    return Object.assign(Object.create(engine) as Engine, {
      readEntity: (query, caller) => engine.readEntity(query, at(caller)),
      readSelection: (query, caller) => engine.readSelection(query, at(caller)),
      compute: (query, caller) => engine.compute(query, at(caller)),
      distinct: (query, caller) => engine.distinct(query, at(caller)),
      group: (query, caller) => engine.group(query, at(caller)),
    } satisfies Partial<Engine>)
  }
  return Object.assign(Object.create(store) as SqlStore, { [ENGINE]: engineOf })
}

/** The same with the second store in another process of the operating system. */
export function overProcesses(pool: SqlPool, connectionString: string): ProcessTarget {
  let child: Promise<Child> | null = null
  const startOnce = (): Promise<Child> => {
    child ??= startChild(new URL('./server-process.ts', import.meta.url), { connectionString })
    return child
  }
  const tell = async <T>(order: Order): Promise<T> => (await startOnce()).tell<T>(order)
  return {
    reference: inMemory,
    async open({ ports, ids, passed }, form, { identity, onFailure }): Promise<Opened> {
      const schema = newSchema()
      const origin = createClub(ports)
      const one = await openCopy(origin, pool, schema, QUIET)
      await tell({ kind: 'open', schema, identity })
      const other: OtherProcess = {
        async handle(request, isAlone) {
          const { reply, used, failures } = await tell<Served>({
            kind: 'handle',
            request,
            seconds: passed(),
            used: isAlone ? ids.state : ids.apart,
          })
          ids.continueAt(used)
          for (const failure of failures) onFailure(failure)
          return reply
        },
      }
      return {
        stores: [one],
        processes: [other],
        ...programOf(one, form),
        async close() {
          origin.close()
          await tell({ kind: 'close' })
          await dropSchema(pool, schema)
        },
      }
    },
    async end() {
      await (await child)?.end()
    },
  }
}

/** A target with a process that `end` ends. */
export interface ProcessTarget extends Target {
  end(): Promise<void>
}

const newSchema = (): string => `club_${randomBytes(6).toString('hex')}`

const programOf = (store: unknown, form: number): Pick<Opened, 'program'> =>
  form === 1 ? { program: () => (store as Untyped).as(null) as Tables } : {}

async function dropSchema(pool: SqlPool, schema: string): Promise<void> {
  await pool.query(statementOfText(`DROP SCHEMA "${schema}" CASCADE`, []))
}
