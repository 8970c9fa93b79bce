import {
  type AnySelection,
  createDataStore,
  createMedia,
  type Session,
  type SessionUser,
} from '@entia/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import {
  dropLocks,
  entityLocked,
  holdEntity,
  lockedRecords,
  locksOfOthers,
} from '../../src/server-state/lock-pieces.ts'
import type { SqlServerState } from '../../src/server-state/server-state.ts'
import { heldSession, holdSession } from '../../src/server-state/session-pieces.ts'
import { combinedMembers, haveCommonEntity } from '../../src/server-state/set-pieces.ts'
import { sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import {
  CountedIds,
  Item,
  itemAt,
  itemTable,
  listedRecords,
  outcomeOf,
  processOver,
  SMALL_LIMITS,
  TestClock,
} from './world.ts'

/** A session of both: the store in memory, and the process of the database that returned it. */
interface Pair {
  core: Session
  sql: Session
  process: number
  isIdentified: boolean
}

/** A store in memory and two processes over one database, which get the same calls. */
export class Worlds {
  readonly clock = new TestClock()
  readonly store = createDataStore({
    name: 'items',
    dataClasses: [Item],
    clock: this.clock,
    ids: new CountedIds('core'),
    ...SMALL_LIMITS,
  })
  readonly pool: SqlPool
  readonly schema: string
  readonly processes: readonly SqlServerState[]
  readonly pairs: Pair[] = []
  /** Ids of sets and of uploads: in memory, and in the database. */
  readonly sets: (readonly [string, string])[] = []
  readonly uploads: (readonly [string, string])[] = []
  readonly #ids = new Map<string, string>()
  #records = 0

  constructor(pools: readonly SqlPool[], schema: string) {
    this.pool = pools[0]!
    this.schema = schema
    this.processes = pools.map((pool) => processOver(pool, schema, this.clock))
  }

  /** Empties the tables. */
  async reset(): Promise<void> {
    const { session, set, upload } = this.processes[0]!.port.tables
    for (const table of [session, set, upload, itemTable(this.schema).name])
      await this.pool.query(statementOf(sql`DELETE FROM ${table}`))
  }

  run(piece: Parameters<typeof statementOf>[0]) {
    return this.pool.query(statementOf(piece))
  }

  /** A write as a session, as the engine makes it: with the pieces for transactions. */
  async write(key: number, v: number | null, pair: Pair | undefined): Promise<void> {
    const { name } = itemTable(this.schema)
    const { port } = this.processes[0]!
    const { Item: items } = this.store
    const isThere = items.get(key) !== undefined
    let stamp = 0
    await this.compare(
      () =>
        this.store.as(pair?.core ?? null, () => {
          if (v === null) return items.query('ID = :1', [key]).remove() > 0
          stamp = isThere ? items.update(key, { v }).stamp : items.insert({ ID: key, v }).stamp
          return true
        }),
      () =>
        this.pool.connect(async (connection) => {
          const entity = sql`SELECT 'Item'::text, _rec FROM ${name} WHERE "ID" = ${key}::integer`
          const [, held, , locks] = await connection.send(
            [
              sql`BEGIN`,
              pair === undefined ? sql`SELECT` : holdSession(port, pair.sql.id),
              holdEntity(itemAt(this.schema, key)),
              locksOfOthers(port, entity, pair?.sql.id ?? null),
            ].map(statementOf),
          )
          if (pair !== undefined) heldSession(held!)
          const [locked] = lockedRecords(locks!)
          if (locked !== undefined) throw entityLocked(locked, key)
          const write =
            v === null
              ? sql`DELETE FROM ${name} WHERE "ID" = ${key}::integer RETURNING _rec`
              : isThere
                ? sql`UPDATE ${name} SET _stamp = ${stamp}::integer, v = ${v}::integer
                    WHERE "ID" = ${key}::integer`
                : sql`INSERT INTO ${name} (_rec, _stamp, "ID", v) VALUES (
                    ${++this.#records}::bigint, ${stamp}::integer, ${key}::integer, ${v}::integer)`
          const [written] = await connection.send([statementOf(write)])
          const removed = v === null ? written!.rows.map(([record]) => record as number) : []
          await connection.send([
            statementOf(dropLocks(port, 'Item', removed)),
            statementOf(sql`COMMIT`),
          ])
          return written!.count > 0
        }),
    )
  }

  pair(at: number): Pair | undefined {
    return this.pairs.length === 0 ? undefined : this.pairs[at % this.pairs.length]
  }
  /** The session of a process, renewed by its token if another process opened it. */
  async sessionIn(pair: Pair, process: number): Promise<readonly [Session, SqlServerState]> {
    if (pair.process !== process && !pair.isIdentified) {
      this.store.sessions.touch(pair.core.token)
      const found = await this.processes[process]!.sessions.touch(pair.sql.token)
      if (found !== undefined) return [found, this.processes[process]!]
    }
    return [pair.sql, this.processes[pair.process]!]
  }

  /** Remembers which id of the database belongs to which one in memory. */
  same(core: string, other: string): void {
    this.#ids.set(other, core)
  }
  /** Both do the same. Ids are compared by what they belong to; record numbers are not. */
  async compare(inMemory: () => unknown, inDatabase: () => Promise<unknown>): Promise<boolean> {
    const left = await outcomeOf(inMemory)
    const right = await outcomeOf(inDatabase)
    expect(this.#inCoreIds(right)).toEqual(this.#inCoreIds(left))
    return 'result' in (left as object)
  }
  #inCoreIds(value: unknown): unknown {
    const text = JSON.stringify(value, (name, each) =>
      each === undefined
        ? 'undefined'
        : name === 'recordNumber'
          ? 'some'
          : typeof each === 'string'
            ? (this.#ids.get(each) ?? each)
            : each,
    )
    return JSON.parse(text)
  }

  /** Living members in order by key; null in the place of removed ones. */
  async keysOf(records: readonly (number | null | undefined)[]): Promise<(number | null)[]> {
    const { rows } = await this.run(sql`SELECT _rec, "ID" FROM ${itemTable(this.schema).name}`)
    const keys = new Map(rows as readonly (readonly [number, number])[])
    return records.map((record) => keys.get(record ?? -1) ?? null)
  }
}

const membersIn = (selection: AnySelection | undefined): unknown =>
  selection === undefined
    ? null
    : selection.members().map((entity) => (entity as { ID: number } | undefined)?.ID ?? null)

const USERS: readonly SessionUser[] = ['ann', 'bob'].map((name) => ({
  ID: name,
  userName: name,
  fullName: name.toUpperCase(),
  groups: ['staff'],
}))

type Command = (worlds: Worlds) => Promise<void>
const number = (max: number) => fc.integer({ min: 0, max })
const seconds = fc.constantFrom(undefined, undefined, 5, 40, 200, 1000, -1)
const process = number(1)

const opened = (
  worlds: Worlds,
  at: number,
  isIdentified: boolean,
  core: Session,
  other: Session,
) => {
  worlds.same(core.id, other.id)
  worlds.pairs.push({ core, sql: other, process: at, isIdentified })
}

/** Runs a call that returns a session in both worlds, and remembers the two. */
async function entering(
  worlds: Worlds,
  at: number,
  isIdentified: boolean,
  inMemory: () => Session,
  inDatabase: () => Promise<Session>,
): Promise<void> {
  let core: Session | null = null
  await worlds.compare(
    () => {
      core = inMemory()
      return { ...core }
    },
    async () => {
      const other = await inDatabase()
      if (core !== null) opened(worlds, at, isIdentified, core, other)
      return { ...other }
    },
  )
}

const sessionCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(process, fc.constantFrom('', 'a', 'b'), fc.option(number(1)), seconds).map(
    ([at, ipAddress, user, lifetimeSeconds]): Command =>
      (worlds) => {
        const options = { ipAddress, user: user === null ? null : USERS[user]!, lifetimeSeconds }
        return entering(
          worlds,
          at,
          false,
          () => worlds.store.sessions.open(options),
          () => worlds.processes[at]!.sessions.open(options),
        )
      },
  ),
  fc.tuple(process, number(1), seconds).map(
    ([at, user, lifetimeSeconds]): Command =>
      (worlds) =>
        entering(
          worlds,
          at,
          true,
          () => worlds.store.sessions.identified(USERS[user]!, { lifetimeSeconds }),
          () => worlds.processes[at]!.sessions.identified(USERS[user]!, { lifetimeSeconds }),
        ),
  ),
  fc.tuple(process, fc.option(number(20)), number(1), seconds).map(
    ([process, which, user, lifetimeSeconds]): Command =>
      async (worlds) => {
        const pair = which === null ? undefined : worlds.pair(which)
        const at = pair?.isIdentified === true ? pair.process : process
        const options = { lifetimeSeconds, host: 'here' }
        await entering(
          worlds,
          at,
          false,
          () => worlds.store.sessions.login(pair?.core.token ?? null, USERS[user]!, options),
          () =>
            worlds.processes[at]!.sessions.login(pair?.sql.token ?? null, USERS[user]!, options),
        )
      },
  ),
  fc.tuple(process, number(20), fc.constantFrom('touch', 'close')).map(
    ([process, which, call]): Command =>
      async (worlds) => {
        const pair = worlds.pair(which)
        if (pair === undefined) return
        const at = pair.isIdentified ? pair.process : process
        const { sessions } = worlds.processes[at]!
        if (call === 'touch') {
          const shown = (session: Session | undefined) => (session ? { ...session } : null)
          await worlds.compare(
            () => shown(worlds.store.sessions.touch(pair.core.token)),
            async () => shown(await sessions.touch(pair.sql.token)),
          )
        } else
          await worlds.compare(
            () => worlds.store.sessions.close(pair.core.token),
            () => sessions.close(pair.sql.token),
          )
      },
  ),
  fc.tuple(process, fc.boolean()).map(
    ([at, isSwept]): Command =>
      async (worlds) => {
        const { sessions } = worlds.processes[at]!
        await worlds.compare(
          () => worlds.store.sessions.list(),
          () => sessions.list(),
        )
        await worlds.compare(
          () => worlds.store.sessions.size,
          () => sessions.size(),
        )
        if (isSwept) await worlds.processes[at]!.sweep()
      },
  ),
  fc.constantFrom(1, 999, 1000, 4000, 30_000, 60_000, 299_999).map(
    (milliseconds): Command =>
      async (worlds) => {
        worlds.clock.time += milliseconds
      },
  ),
]

const dataCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(number(7), fc.option(number(3)), fc.option(number(20))).map(
    ([key, v, which]): Command =>
      (worlds) =>
        worlds.write(key, v, which === null ? undefined : worlds.pair(which)),
  ),
]

const lockCommands: fc.Arbitrary<Command>[] = [
  fc
    .tuple(
      process,
      number(20),
      number(7),
      fc.constantFrom('lock', 'lock', 'lock', 'unlock'),
      fc.option(number(3)),
    )
    .map(
      ([process, which, key, call, given]): Command =>
        async (worlds) => {
          const pair = worlds.pair(which)
          if (pair === undefined) return
          const [session, { locks }] = await worlds.sessionIn(pair, process)
          const target = itemAt(worlds.schema, key)
          const options = given === null ? {} : { stamp: given }
          if (call === 'lock')
            await worlds.compare(
              () => worlds.store.locks.lock('Item', key, pair.core, options),
              () => locks.lock(target, session, options),
            )
          else
            await worlds.compare(
              () => worlds.store.locks.unlock('Item', key, pair.core),
              () => locks.unlock(target, session),
            )
        },
    ),
  fc.tuple(process, number(7), fc.option(number(3))).map(
    ([at, key, given]): Command =>
      async (worlds) => {
        const { locks } = worlds.processes[at]!
        const target = itemAt(worlds.schema, key)
        const options = given === null ? {} : { stamp: given }
        await worlds.compare(
          () => worlds.store.locks.probe('Item', key, options),
          () => locks.probe(target, options),
        )
        await worlds.compare(
          () => worlds.store.locks.size,
          () => locks.size(),
        )
      },
  ),
]

const setCommands: fc.Arbitrary<Command>[] = [
  fc
    .record({
      process,
      from: number(4),
      descending: fc.boolean(),
      owner: fc.option(number(20)),
      again: fc.option(number(20), { freq: 2 }),
      lifetimeSeconds: seconds,
      isListed: fc.boolean(),
    })
    .map(
      ({ process, from, descending, owner, again, lifetimeSeconds, isListed }): Command =>
        async (worlds) => {
          const pair = owner === null ? undefined : worlds.pair(owner)
          const [session, state] =
            pair === undefined
              ? [null, worlds.processes[process]!]
              : await worlds.sessionIn(pair, process)
          const known = again === null ? undefined : worlds.sets[again % worlds.sets.length]
          const order = descending ? sql`DESC` : sql`ASC`
          const query = sql`SELECT t._rec FROM ${itemTable(worlds.schema).name} t
            WHERE t."ID" >= ${from}::integer ORDER BY t."ID" ${order}`
          const listed = (await worlds.run(query)).rows.map(([record]) => record as number)
          let id: string | null = null
          await worlds.compare(
            () => {
              const selection = worlds.store.Item.query('ID >= :1', [from])
              id = worlds.store.entitySets.create(
                selection.orderBy(descending ? 'ID desc' : 'ID'),
                {
                  lifetimeSeconds,
                  owner: pair?.core ?? null,
                  ...(known === undefined ? {} : { id: known[0] }),
                },
              )
              return true
            },
            async () => {
              const made = await state.entitySets.create(
                'Item',
                isListed ? listedRecords(listed) : query,
                {
                  sorted: true,
                  lifetimeSeconds,
                  owner: session,
                  ...(known === undefined ? {} : { id: known[1] }),
                },
              )
              if (id !== null && known === undefined) {
                worlds.sets.push([id, made])
                worlds.same(id, made)
              }
              return true
            },
          )
        },
    ),
  fc
    .tuple(
      process,
      number(20),
      number(20),
      fc.option(number(20)),
      fc.constantFrom(
        'get',
        'peek',
        'page',
        'AND',
        'OR',
        'EXCEPT',
        'INTERSECT',
        'clean',
        'release',
      ),
    )
    .map(
      ([process, first, second, owner, call]): Command =>
        async (worlds) => {
          if (worlds.sets.length === 0) return
          const [a, b] = [first, second].map((at) => worlds.sets[at % worlds.sets.length]!)
          const pair = owner === null ? undefined : worlds.pair(owner)
          const { entitySets } = worlds.store
          const [known, state] =
            pair === undefined
              ? [null, worlds.processes[process]!]
              : await worlds.sessionIn(pair, process)
          const core = pair?.core ?? null
          const sets = state.entitySets
          // An engine finds the session of a request before it reads a set.
          const isOpen = known !== null && (await state.sessions.openOf([known.id])).length > 0
          const session = isOpen ? known : null
          const table = itemTable(worlds.schema)
          const sizeOf = (set: { size: number } | undefined) => set?.size ?? null
          switch (call) {
            case 'get':
            case 'peek':
              await worlds.compare(
                () => {
                  const set = entitySets[call](a![0], core)
                  return set === undefined ? null : set.count
                },
                async () => sizeOf(await sets[call](a![1].toLowerCase(), session)),
              )
              return
            case 'page':
              await worlds.compare(
                () => membersIn(entitySets.get(a![0], core)?.page(second % 4, 3)),
                async () => {
                  const found = await sets.get(a![1], session)
                  if (found === undefined) return null
                  const page = (await sets.members(found, { skip: second % 4, top: 3 }))!
                  const { rows } = await worlds.run(sql`SELECT p.rec FROM (${page}) p ORDER BY p.n`)
                  return worlds.keysOf(rows.map(([record]) => record as number))
                },
              )
              return
            case 'release':
              await worlds.compare(
                () => entitySets.release(a![0], core),
                () => sets.release(a![1], session),
              )
              return
          }
          // The engine reports a missing set; here both are known to exist.
          const left = entitySets.peek(a![0], core)
          const right = entitySets.peek(b![0], core)
          if (left === undefined || right === undefined) return
          const foundIn = async (id: string) => {
            const set = (await sets.get(id, session))!
            return { members: (await sets.members(set))!, size: set.size }
          }
          const { members: m } = await foundIn(a![1])
          const { members: n, size } = await foundIn(call === 'clean' ? a![1] : b![1])
          const keys = async (members: typeof m) => {
            const { rows } = await worlds.run(
              sql`SELECT x.rec FROM (${members}) x JOIN ${table.name} t ON t._rec = x.rec ORDER BY x.n`,
            )
            return worlds.keysOf(rows.map(([record]) => record as number))
          }
          if (call === 'clean')
            await worlds.compare(
              () => membersIn(entitySets.clean(a![0], core)),
              () => keys(m),
            )
          else if (call === 'INTERSECT')
            await worlds.compare(
              () => entitySets.combine(a![0], call, b![0], core),
              async () => (await worlds.run(haveCommonEntity(table, m, n))).rows[0]![0],
            )
          else
            await worlds.compare(
              () => membersIn(entitySets.combine(a![0], call, b![0], core)),
              () => keys(combinedMembers(m, call, n, size)),
            )
        },
    ),
  process.map(
    (at): Command =>
      (worlds) =>
        worlds
          .compare(
            () => worlds.store.entitySets.list(),
            () => worlds.processes[at]!.entitySets.list(),
          )
          .then(() => undefined),
  ),
]

const uploadCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(process, number(22), seconds).map(
    ([at, size, lifetimeSeconds]): Command =>
      async (worlds) => {
        const media = createMedia('image/png', new Uint8Array(size).fill(size))
        let id: string | null = null
        await worlds.compare(
          () => {
            id = worlds.store.uploads.put(media, { lifetimeSeconds })
            return true
          },
          async () => {
            const put = await worlds.processes[at]!.uploads.put(media, { lifetimeSeconds })
            if (id !== null) worlds.uploads.push([id, put])
            return true
          },
        )
      },
  ),
  fc.tuple(process, number(20)).map(
    ([at, which]): Command =>
      async (worlds) => {
        const known = worlds.uploads[which % worlds.uploads.length]
        if (known === undefined) return
        const { uploads } = worlds.processes[at]!
        await worlds.compare(
          () => [...(worlds.store.uploads.get(known[0])?.bytes() ?? ['none'])],
          async () => [...((await uploads.get(known[1]))?.bytes() ?? ['none'])],
        )
        await worlds.compare(
          () => worlds.store.uploads.size,
          () => uploads.size(),
        )
      },
  ),
]

const listOf = (...commands: fc.Arbitrary<Command>[]): fc.Arbitrary<Command[]> =>
  fc.array(fc.oneof(...commands), { minLength: 5, maxLength: 60, size: 'max' })

/** Calls of each kind, each with those that it depends on. */
export const COMMANDS = {
  sessions: listOf(...sessionCommands),
  locks: listOf(...sessionCommands, ...dataCommands, ...lockCommands, ...lockCommands),
  'entity sets': listOf(...sessionCommands, ...dataCommands, ...setCommands, ...setCommands),
  uploads: listOf(sessionCommands.at(-1)!, ...uploadCommands),
}
