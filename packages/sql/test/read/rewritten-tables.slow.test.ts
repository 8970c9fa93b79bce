import { setTimeout as wait } from 'node:timers/promises'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { send } from '../../../rest/test/http/send.ts'
import type { SqlConnection, SqlPool } from '../../src/connect/port.ts'
import { databaseOf, migrateDatabase, openSqlStore, verifyDatabase } from '../../src/index.ts'
import { describeDatabases, run } from '../database.ts'

// A table that a migration has rewritten looks empty in a snapshot that was taken before its end.

const attributes = { ID: attribute.long({ key: true }), value: attribute.long() }
const Reading = defineDataClass('Reading', attributes)

const text = (statement: string) => ({ name: '', text: statement, values: [] })

async function untilFound(pool: SqlPool, query: string, name: string): Promise<void> {
  while ((await run(pool, query, name)).count === 0) await wait(10)
}

/** Settles when a statement waits for a table of a schema. */
const untilWaiting = (pool: SqlPool, schema: string): Promise<void> =>
  untilFound(
    pool,
    `SELECT FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
      WHERE NOT l.granted AND c.relnamespace = to_regnamespace($1)`,
    `"${schema}"`,
  )

/** When the migration begins. */
type Moment = 'before' | 'after'

/** A pool beside whose next snapshot a migration runs. */
class MigratedPool implements SqlPool {
  readonly prepares = true
  readonly #pool: SqlPool
  readonly #other: SqlPool
  readonly #schema: string
  #next: Moment | null = null
  #migration: Promise<unknown> = Promise.resolve()

  constructor(pool: SqlPool, other: SqlPool, schema: string) {
    this.#pool = pool
    this.#other = other
    this.#schema = schema
  }

  /** The result of a read that begins one snapshot at least. */
  async during<R>(moment: Moment, read: () => Promise<R>): Promise<R> {
    this.#next = moment
    const result = await read()
    expect(this.#next).toBe(null)
    await this.#migration
    return result
  }

  query(...args: Parameters<SqlPool['query']>): ReturnType<SqlPool['query']> {
    return this.#pool.query(...args)
  }
  connect<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    return this.#pool.connect((connection) =>
      body({
        ...connection,
        send: async (statements) => {
          const isSnapshot = statements[0]!.text.startsWith('BEGIN ISOLATION LEVEL REPEATABLE READ')
          const moment = isSnapshot ? this.#next : null
          if (moment === null) return connection.send(statements)
          this.#next = null
          if (moment === 'before') await this.#migrate('waited for')
          const results = await connection.send(statements)
          if (moment === 'after') await this.#migrate('alone')
          return results
        },
      }),
    )
  }
  /** Several stores share it. */
  async close(): Promise<void> {}

  /**
   * What a migration does that widens an attribute. Settles when it has its lock, or waits for it;
   * it commits when a reader waits for one, or at once.
   */
  async #migrate(until: 'waited for' | 'alone'): Promise<void> {
    const schema = `"${this.#schema}"`
    const holding = `SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = to_regclass($1)`
    this.#migration = this.#other.connect(async (connection) => {
      await connection.send([
        text('BEGIN'),
        text(`LOCK TABLE ${schema}.entia_store IN ACCESS EXCLUSIVE MODE`),
        text(`ALTER TABLE ${schema}."Reading" ALTER COLUMN value TYPE bigint`),
        text(`ALTER TABLE ${schema}."Reading" ALTER COLUMN value TYPE integer`),
      ])
      if (until === 'waited for') await untilWaiting(this.#other, this.#schema)
      await connection.send([text('COMMIT')])
    })
    await Promise.race([untilFound(this.#other, holding, `${schema}.entia_store`), this.#migration])
  }
}

describeDatabases('rewritten tables', { on: 'one', connections: 'several' }, (database) => {
  test.each(['before', 'after'] as const)(
    'every snapshot has the entities of a table that is rewritten by a migration which begins %s it',
    async (moment) => {
      const schema = database.newSchema()
      const pool = new MigratedPool(database.open(), database.open(), schema)
      const options = { name: 'readings', dataClasses: [Reading], schema, database: pool }
      await migrateDatabase(options)
      const store = await openSqlStore(options)
      await store.load('Reading', [{ ID: 1, value: 1 }, { ID: 2 }])
      const rest = createRestHandler(store)
      const reads: { readonly [title: string]: () => Promise<unknown> } = {
        count: () => store.Reading.query`value is null or value > ${0}`.count(),
        transaction: () => store.transact(async (tx) => (await tx.Reading.all().toArray()).length),
        'entity set': async () =>
          (await send(rest, 'GET', '/rest/Reading?$method=entityset')).body.__ENTITIES.length,
        mirror: async () => {
          const mirrored = await openSqlStore({ ...options, mirror: { dataClasses: ['Reading'] } })
          await mirrored.mirror!.filled()
          const { entities } = mirrored.mirror!
          await mirrored.close()
          return entities
        },
        verification: async () => {
          const { entities, problems } = await verifyDatabase(options)
          expect(problems).toEqual([])
          return entities
        },
        copy: () =>
          databaseOf(createDataStore({ name: 'readings', dataClasses: [Reading] }), {
            database: pool,
            schema,
          }).copyOut(),
      }
      for (const [title, read] of Object.entries(reads))
        expect([title, await pool.during(moment, read)]).toEqual([title, 2])
      await store.close()
    },
  )

  test('a process that opens while a migration runs waits for the tables of its model', async () => {
    const schema = database.newSchema()
    const [pool, other] = [database.open(), database.open()]
    const options = { name: 'readings', dataClasses: [Reading], schema, database: pool }
    await migrateDatabase(options)
    const Placed = defineDataClass('Reading', { ...attributes, place: attribute.long() })
    const opening = await other.connect(async (connection) => {
      await connection.send([
        text('BEGIN'),
        text(`LOCK TABLE "${schema}".entia_store IN ACCESS EXCLUSIVE MODE`),
        text(`ALTER TABLE "${schema}"."Reading" ADD COLUMN place integer`),
      ])
      const store = openSqlStore({ ...options, dataClasses: [Placed] })
      await untilWaiting(other, schema)
      await connection.send([text('COMMIT')])
      return { store }
    })
    await (await opening.store).close()
  })
})
