import { createRestHandler, type RestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { describeDatabases, run } from '../database.ts'
import { openCopy } from './sql-host.ts'
import { createHrStore } from './world.ts'

describeDatabases('operators of a store over PostgreSQL', { on: 'one' }, ({ open, newSchema }) => {
  const pool = open()
  const schema = newSchema()
  let rest: RestHandler

  const ask = async (url: string, method = 'GET') => {
    const headers = { host: 'localhost' }
    const { status, body } = await rest.handle({ method, url: `/rest/${url}`, headers })
    return { status, body: JSON.parse(String(body)) }
  }

  beforeAll(async () => {
    const store = await openCopy(createHrStore(300), pool, schema)
    rest = createRestHandler(store, { operator: () => true })
  })

  test('see the sizes of tables and indexes, and the state of the database', async () => {
    await run(pool, `ANALYZE "${schema}"."Employee"`)
    const { dataClasses } = (await ask('$operator/sizes')).body
    const employee = dataClasses.find((one: { dataClass: string }) => one.dataClass === 'Employee')
    expect(employee.entities).toBe(300)
    const attribute = (name: string) =>
      employee.attributes.find((one: { name: string }) => one.name === name)
    expect(attribute('ID').index).toBeGreaterThan(0)
    expect(attribute('lastName').bytes).toBeGreaterThan(300)
    const { kind, database } = (await ask('$operator/storage')).body.storage
    expect([kind, database.schema]).toEqual(['postgresql', schema])
    expect(database.bytes).toBeGreaterThan(employee.bytes)
  })

  test('get the answer that a migration adds indexes', async () => {
    expect((await ask('$operator')).body.createsIndexes).toBe(false)
    const { status, body } = await ask('$operator/indexes/Employee/salary', 'POST')
    expect([status, body.__ERROR[0].message]).toEqual([501, expect.stringMatching(/entia migrate/)])
  })
})

describeDatabases(
  'a request that an operator stops',
  { on: 'one', connections: 'several' },
  ({ open, newSchema }) => {
    const schema = newSchema()
    const others = open()

    test('ends by its own error, and its statement ends in the database', async () => {
      const store = await openCopy(createHrStore(30), open({ max: 2 }), schema)
      const rest = createRestHandler(store, { operator: () => true })
      const headers = { host: 'localhost' }
      const ask = async (url: string, method = 'GET') => {
        const { status, body } = await rest.handle({ method, url: `/rest/${url}`, headers })
        return { status, body: JSON.parse(String(body)) }
      }
      const waiting = async (): Promise<number> => {
        const { rows } = await run(
          others,
          `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
            AND query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()`,
          schema,
        )
        return Number(rows[0]?.[0])
      }
      await others.connect(async ({ send }) => {
        const plain = (text: string) => send([{ name: '', text, values: [] }])
        await plain('BEGIN')
        await plain(`LOCK TABLE "${schema}"."Employee" IN ACCESS EXCLUSIVE MODE`)
        const reads = [1, 2].map((at) => ask(`Employee?$filter="salary>${at}"`))
        await expect.poll(waiting).toBe(2)
        const { requests } = (await ask('$operator/requests')).body
        expect(requests).toMatchObject([
          { operation: 'page', filter: 'salary > ?', canStop: true },
          { operation: 'page', filter: 'salary > ?', canStop: true },
        ])
        expect((await ask(`$operator/requests/${requests[0].id}`, 'DELETE')).status).toBe(200)
        const { status, body } = await reads[0]!
        expect([status, body.__ERROR[0].errCode]).toEqual([409, 9171])
        await expect.poll(waiting).toBe(1)
        await plain('ROLLBACK')
        expect((await reads[1]!).status).toBe(200)
      })
      // The connection of the stopped statement is replaced.
      const later = await Promise.all([1, 2, 3].map((at) => ask(`Employee?$filter="salary>${at}"`)))
      expect(later.map(({ status }) => status)).toEqual([200, 200, 200])
      await store.close()
    })

    test('does not end those that share its round trip', async () => {
      const shared = newSchema()
      const store = await openCopy(createHrStore(30), open({ max: 6 }), shared)
      const rest = createRestHandler(store, { operator: () => true })
      const headers = { host: 'localhost' }
      const ask = async (url: string, method = 'GET') => {
        const { status, body } = await rest.handle({ method, url: `/rest/${url}`, headers })
        return { status, body: JSON.parse(String(body)) }
      }
      const keys = [1, 2, 3, 1, 2, 3]
      await others.connect(async ({ send }) => {
        const plain = (text: string) => send([{ name: '', text, values: [] }])
        await plain('BEGIN')
        await plain(`LOCK TABLE "${shared}"."Company" IN ACCESS EXCLUSIVE MODE`)
        const replies = keys.map((key) => ask(`Company(${key})`))
        // By now the first have been sent alone, and the others together.
        await new Promise((resolve) => setTimeout(resolve, 300))
        const { requests } = (await ask('$operator/requests')).body
        expect(requests).toHaveLength(keys.length)
        const stopped = [0, 2]
        for (const at of stopped)
          expect((await ask(`$operator/requests/${requests[at].id}`, 'DELETE')).status).toBe(200)
        for (const at of stopped) expect((await replies[at]!).body.__ERROR[0].errCode).toBe(9171)
        await plain('ROLLBACK')
        const ended = await Promise.all(replies)
        const expected = keys.map((_, at) => (stopped.includes(at) ? 409 : 200))
        expect(ended.map(({ status }) => status)).toEqual(expected)
      })
      await store.close()
    })
  },
)
