import { type AnyDataClass, attribute, defineDataClass, type Untyped } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test, vi } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { send } from '../../../rest/test/http/send.ts'
import { DatabaseError } from '../../src/connect/database-error.ts'
import type { SqlConnection, SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase, openSqlStore, verifyDatabase } from '../../src/index.ts'
import { pgPool } from '../../src/pg.ts'
import { describeDatabases } from '../database.ts'
import { isPooled } from '../tested.ts'

// Migrations while a process serves the database, whose model fits before and after each of them.

const timers = vi.hoisted(() => ({ areShort: false }))
vi.mock('node:timers/promises', async (importActual) => {
  const { setTimeout: wait } = await importActual<typeof import('node:timers/promises')>()
  return {
    setTimeout: (milliseconds: number, ...rest: [unknown?]) =>
      wait(timers.areShort ? Math.min(milliseconds, 20) : milliseconds, ...rest),
  }
})

const ID = attribute.long({ key: true, autoSequence: true })
const count = attribute.long({ notNull: true, default: 0 })
const Company = defineDataClass('Company', { ID, name: attribute.string({ unique: true }) })
const served: readonly AnyDataClass[] = [
  Company,
  defineDataClass('Person', {
    ID,
    name: attribute.string({ indexed: true }),
    count,
    employer: attribute.relatedEntity('Company'),
  }),
]
/** Further indexes, columns that are filled, and constraints on both tables. */
const further: readonly AnyDataClass[] = [
  defineDataClass('Company', { ID, name: attribute.string({ unique: true }), size: count }),
  defineDataClass('Person', {
    ID,
    name: attribute.string({ indexed: true, words: true }),
    count: attribute.long({ notNull: true, default: 0, indexed: true }),
    employer: attribute.relatedEntity('Company'),
    rank: attribute.long({ default: 7, indexed: true }),
    head: attribute.relatedEntity('Company'),
  }),
]

/** The same pool. `states` gets the SQLSTATE of each failure. */
function noting(pool: SqlPool, states: (string | null)[]): SqlPool {
  const noted = async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof DatabaseError) states.push(error.sqlState)
      throw error
    }
  }
  const over = (connection: SqlConnection): SqlConnection => ({
    ...connection,
    send: (statements) => noted(connection.send(statements)),
  })
  return {
    prepares: pool.prepares,
    query: (statement) => noted(pool.query(statement)),
    connect: (body) => pool.connect((connection) => body(over(connection))),
    close: () => pool.close(),
  }
}

describeDatabases(
  'Migrations beside traffic',
  { on: 'one', connections: 'several' },
  (database) => {
    test('none waits in a circle, and each answer of the traffic is kept', async () => {
      const { schema } = database
      const states: (string | null)[] = []
      const optionsOf = (dataClasses: readonly AnyDataClass[]) => ({
        name: 'people',
        dataClasses,
        schema,
        database: noting(database.open({ max: 8 }), states),
      })
      const migrating = [further, served].map(optionsOf)
      await migrateDatabase(optionsOf(served))
      const store: Untyped = await openSqlStore(optionsOf(served))
      const rest = createRestHandler(store, { authorize: () => true } as never)
      await store.load('Company', [{ name: 'Acme' }, { name: 'Zenith' }])
      const people = Array.from({ length: 200 }, (_, at) => ({ name: `P${at}`, employer: 1 }))
      await store.load('Person', people)
      let [inserted, added, done] = [200, 0, 0]
      let isOver = false
      const asked = async (method: string, path: string, body?: object) => {
        const reply = await send(rest, method, `/rest/${path}`, body)
        expect([path, reply.status, reply.text]).toEqual([path, 200, expect.anything()])
        return reply.body
      }
      const kinds: readonly (() => Promise<unknown>)[] = [
        async () => {
          await asked('POST', 'Person?$method=update', { name: 'New', employer: 2 })
          inserted++
        },
        async () => {
          await store.transact((tx: Untyped) => {
            const person = tx.Person.get(1 + (done % 200))
            return Promise.resolve(person).then((found: Untyped) =>
              tx.Person.update(found.ID, { count: found.count + 1 }),
            )
          })
          added++
        },
        () => asked('GET', 'Person?$filter="employer.name = Zenith"&$orderby=name&$top=5'),
        async () => {
          const found = await asked('GET', 'Person?$method=entityset&$filter="ID <= 200"&$top=1')
          expect(found.__COUNT).toBe(200)
        },
        async () => expect(await store.Person.query`ID <= ${200}`.count()).toBe(200),
        async () => {
          const { headers, status } = await send(rest, 'GET', '/rest/Company(2)?$lock=true')
          expect(status).toBe(200)
          // Without the lock, which another one has, a guest gets no session.
          const cookie = headers['set-cookie']?.split(';')[0] ?? ''
          const path = '/rest/Company(2)?$lock=false'
          expect((await send(rest, 'GET', path, undefined, { cookie })).status).toBe(200)
        },
        async () => {
          const { problems } = await verifyDatabase(migrating[1]!)
          expect(problems.filter(({ kind }) => kind !== 'schema')).toEqual([])
        },
        async () => expect(Number(await store.Person.all().sum('count'))).toBeGreaterThanOrEqual(0),
      ]
      const traffic = Array.from({ length: 6 }, async (_, at) => {
        for (let turn = at; !isOver; turn++, done++) await kinds[turn % kinds.length]!()
      })
      const all = Promise.all(traffic)
      try {
        for (let time = 0; time < runs(60, 16).numRuns; time++) {
          const options = migrating[time % 2]!
          const steps = await Promise.race([migrateDatabase(options, { drop: true }), all])
          expect(steps!.length).toBeGreaterThan(0)
        }
      } finally {
        isOver = true
        await all
      }
      expect(states.filter((state) => state === '40P01')).toEqual([])
      expect(await store.Person.all().count()).toBe(inserted)
      expect(await store.Person.all().sum('count')).toBe(added)
      expect((await verifyDatabase(migrating[1]!)).problems).toEqual([])
      await store.close()
    }, 300_000)

    /** A store, and a transaction of others that holds a table of it until `end` is called. */
    async function heldTable(mode: string) {
      const schema = database.newSchema()
      const states: (string | null)[] = []
      const optionsOf = (dataClasses: readonly AnyDataClass[]) => ({
        name: 'people',
        dataClasses,
        schema,
        database: noting(database.open(), states),
      })
      await migrateDatabase(optionsOf(served))
      const store: Untyped = await openSqlStore(optionsOf(served))
      const text = (statement: string) => ({ name: '', text: statement, values: [] })
      let end = (): void => {}
      let holdAll = async (): Promise<void> => {}
      const isHeld = new Promise<void>((held, failed) => {
        const other = database.open()
        const until = new Promise<void>((resolve) => (end = resolve))
        const holding = other.connect(async ({ send }) => {
          await send([text('BEGIN'), text(`LOCK TABLE "${schema}"."Person" IN ${mode} MODE`)])
          holdAll = async () => {
            const [names] = await send([
              text(`SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
                WHERE schemaname = '${schema}'`),
            ])
            const list = names!.rows.map(([name]) => String(name)).join(', ')
            await send([text(`LOCK TABLE ${list} IN ${mode} MODE`)])
          }
          held()
          await until
        })
        holding.catch(failed)
      })
      await isHeld
      return { states, optionsOf, store, end, holdAll }
    }
    /** The longest of some requests, one after the other, in milliseconds. */
    async function longestOf(store: Untyped, count: number): Promise<number> {
      let longest = 0
      for (let at = 0; at < count; at++) {
        const began = performance.now()
        await store.Person.insert({ name: `P${at}` })
        await store.Person.all().count()
        longest = Math.max(longest, performance.now() - began)
      }
      return longest
    }

    test.each(['ACCESS SHARE', 'ROW EXCLUSIVE'])(
      'one without steps does not wait for a transaction that holds a table in the mode %s',
      async (mode) => {
        const { states, optionsOf, store, end, holdAll } = await heldTable(mode)
        await holdAll()
        const attempts = Array.from({ length: 4 }, async () => {
          const steps = await migrateDatabase(optionsOf(served))
          const opened: Untyped = await openSqlStore(optionsOf(served))
          expect(await opened.Person.all().count()).toBe(0)
          await opened.close()
          return steps
        })
        expect(await Promise.all(attempts)).toEqual([[], [], [], []])
        expect(states).toEqual([])
        end()
        await store.close()
      },
    )

    test('one that finds numbers of another program passes them beside a dump, and one writer waits', async () => {
      const { optionsOf, store, end, holdAll } = await heldTable('ACCESS SHARE')
      await holdAll()
      const { schema } = optionsOf(served)
      const text = `INSERT INTO "${schema}"."Company" ("ID", _stamp, _ts) VALUES (70, 1, 0)`
      await optionsOf(served).database.query({ name: '', text, values: [] })
      expect(await migrateDatabase(optionsOf(served))).toEqual([])
      expect(await store.Company.insert({ name: 'Next' })).toMatchObject({ ID: 71 })
      end()
      await store.close()
    })

    test('requests do not wait behind a migration that waits for a vacuum', async () => {
      const { states, optionsOf, store, end } = await heldTable('SHARE UPDATE EXCLUSIVE')
      const migrating = migrateDatabase(optionsOf(further))
      await longestOf(store, 100)
      end()
      expect(await migrating).toContain('Index Person.rank')
      // It has not given up locks that requests wait for: it has not asked for them.
      expect(states).toEqual([])
      await store.close()
    })

    test.skipIf(isPooled)(
      'requests that a long migration keeps waiting may be sent again',
      async () => {
        const { optionsOf, store, end, holdAll } = await heldTable('ACCESS EXCLUSIVE')
        const limited = pgPool({
          connectionString: database.connectionString!,
          max: 4,
          statementMilliseconds: 500,
        })
        const waiting: Untyped = await openSqlStore({ ...optionsOf(served), database: limited })
        const rest = createRestHandler(waiting)
        await holdAll()
        try {
          for (const [method, path, body] of [
            ['GET', 'Person?$filter="name=P1"'],
            ['GET', 'Person?$method=entityset'],
            ['POST', 'Person', { name: 'New' }],
            ['POST', 'Person?$atomic=true', [{ name: 'New' }, { name: 'Other' }]],
          ] as const) {
            const reply = await send(rest, method, `/rest/${path}`, body)
            expect({ path, ...reply }).toMatchObject({
              body: { __ERROR: [{ errCode: 9123 }] },
              status: 503,
              headers: { 'retry-after': '1' },
            })
          }
          await expect(waiting.transact((tx: Untyped) => tx.Person.get(1))).rejects.toMatchObject({
            code: 'engineUnavailable',
            cause: { message: expect.stringContaining('A migration of the tables takes longer') },
          })
        } finally {
          end()
        }
        await waiting.close()
        expect(await store.Person.all().count()).toBe(0)
        await store.close()
      },
      60_000,
    )

    test('a report that stays open is named, and requests pass between the attempts', async () => {
      const { states, optionsOf, store, end } = await heldTable('ACCESS SHARE')
      timers.areShort = true
      const migrating = migrateDatabase(optionsOf(further)).catch((error: unknown) => error)
      const [refusal, longest] = await Promise.all([migrating, longestOf(store, 40)])
      timers.areShort = false
      expect(refusal).toMatchObject({
        code: 'migrationBlocked',
        message: expect.stringMatching(/oldest ones in connection \d+ \(entia, for \d+ seconds\)/),
      })
      // A request may wait in each of its statements.
      expect(longest).toBeLessThan(10_000)
      expect(new Set(states)).toEqual(new Set(['57014']))
      end()
      expect(await migrateDatabase(optionsOf(further))).toContain('Index Person.rank')
      await store.close()
    })
  },
)
