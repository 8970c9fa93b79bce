import { createServer, connect as dial, Socket } from 'node:net'
import pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { DatabaseError, databaseError } from '../../src/connect/database-error.ts'
import type { Statement } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { sql } from '../../src/sql-builder/sql.ts'
import { statementOf, statementOfText } from '../../src/sql-builder/statement.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled, POOLING } from '../tested.ts'

const BEGIN = statementOf(sql`BEGIN`)
const COMMIT = statementOf(sql`COMMIT`)

describeDatabases('a pool', {}, (database) => {
  const { pool, schema } = database
  const insert = (value: number): Statement => ({
    name: `insert ${schema}`,
    text: `INSERT INTO "${schema}".numbers VALUES ($1)`,
    values: [value],
  })
  const stored = async () =>
    (await run(pool, `SELECT n FROM "${schema}".numbers ORDER BY n`)).rows.flat()

  beforeAll(async () => {
    await run(pool, `CREATE TABLE "${schema}".numbers (n integer UNIQUE)`)
  })

  test('answers rows as arrays of decoded values, and counts changes', async () => {
    const { rows, count } = await run(
      pool,
      `SELECT true, 1::smallint, 2::integer, 3::bigint, 9007199254740993, 0.1::float8, 'a', '{"b": 1}'::json,
        '{"b": 1}'::jsonb, decode('00ff', 'hex'), ARRAY[1, 2]::bigint[], NULL, '2024-01-01'::date, '{}'::integer[]`,
    )
    expect(rows).toEqual([
      [
        true,
        1,
        2,
        3,
        9007199254740993n,
        0.1,
        'a',
        '{"b": 1}',
        '{"b": 1}',
        new Uint8Array([0, 255]),
        [1, 2],
        null,
        '2024-01-01',
        [],
      ],
    ])
    expect(count).toBe(1)
    expect((await run(pool, `UPDATE "${schema}".numbers SET n = n WHERE n < 0`)).count).toBe(0)
  })

  test('statements without a name are sent as they are', async () => {
    for (let round = 0; round < 3; round++)
      for (const value of [1, 2]) {
        const text = `SELECT ${value}::integer`
        expect((await database.pool.query({ name: '', text, values: [] })).rows).toEqual([[value]])
      }
  })

  test('rolls back what a body leaves open, and keeps the connection', async () => {
    await pool.connect(async ({ send }) => {
      await send([BEGIN, insert(100)])
    })
    await expect(
      pool.connect(async ({ send }) => {
        await send([BEGIN, insert(101)])
        throw new Error('the body fails')
      }),
    ).rejects.toThrow('the body fails')
    expect(await stored()).toEqual([])
  })

  test('the first error fails a send, and later statements have no effect', async () => {
    await pool.connect(({ send }) => send([BEGIN, insert(1), COMMIT]))
    const failing = pool.connect(({ send }) =>
      send([BEGIN, insert(2), insert(1), insert(3), COMMIT]),
    )
    await expect(failing).rejects.toMatchObject({ failure: 'unique', sqlState: '23505' })
    expect(await stored()).toEqual([1])
    // The same statement, under the same name, works afterwards.
    await pool.connect(({ send }) => send([BEGIN, insert(4), COMMIT]))
    expect(await stored()).toEqual([1, 4])
  })

  test('several statements without a transaction are refused, and so is one behind COMMIT', async () => {
    const sendAll = (...statements: Statement[]) => pool.connect(({ send }) => send(statements))
    await expect(sendAll(insert(5), insert(6))).rejects.toThrow('Send BEGIN first')
    await expect(sendAll(BEGIN, COMMIT, insert(5))).rejects.toThrow('only be the last')
    expect(await stored()).toEqual([1, 4])
  })

  test('nothing is carried out behind a BEGIN that fails', async () => {
    const failing = { name: 'failing', text: 'BEGIN ISOLATION LEVEL UNKNOWN', values: [] }
    await expect(
      pool.connect(({ send }) => send([failing, insert(9), COMMIT])),
    ).rejects.toMatchObject({ sqlState: '42601' })
    expect(await stored()).toEqual([1, 4])
  })

  test('a statement cannot carry a second one', async () => {
    await expect(run(pool, 'SELECT 1; SELECT 2')).rejects.toMatchObject({ failure: 'internal' })
  })

  test('messages contain no text of the database', async () => {
    const failures = await Promise.all(
      [`SELECT secret FROM nowhere`, `SELECT 1/0`, `SELECT $1::integer`].map((text) =>
        run(pool, text, ...(text.includes('$1') ? ['secret'] : [])).catch(
          (error: unknown) => error,
        ),
      ),
    )
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(DatabaseError)
      expect(String(failure)).not.toMatch(/secret|nowhere|zero/)
      expect((failure as DatabaseError).cause).toBeDefined()
    }
  })

  test('reports every round trip', async () => {
    const trips: number[] = []
    const counting = database.open({ onSend: (statements) => trips.push(statements.length) })
    await run(counting, 'SELECT 1')
    await counting.connect(({ send }) => send([BEGIN, insert(7), insert(8), COMMIT]))
    expect(trips).toEqual([1, 4])
  })

  test('refuses work once it is closed', async () => {
    const closed = database.open()
    await run(closed, 'SELECT 1')
    await Promise.all([closed.close(), closed.close()])
    await expect(run(closed, 'SELECT 1')).rejects.toMatchObject({ failure: 'unavailable' })
  })
})

describeDatabases('a pool over a server', { connections: 'several' }, (database) => {
  const connectionString = database.connectionString!

  test('sends all statements before the first answer', async () => {
    // Forwards bytes and counts changes of direction: one change is one round trip.
    const turns: string[] = []
    const { port, host } = addressOf(connectionString)
    const proxy = createServer((client) => {
      const server = dial(port, host)
      client.on('data', (data) => {
        if (turns.at(-1) !== 'client') turns.push('client')
        server.write(data)
      })
      server.on('data', (data) => {
        if (turns.at(-1) !== 'server') turns.push('server')
        client.write(data)
      })
      client.on('close', () => server.destroy()).on('error', () => {})
      server.on('close', () => client.destroy()).on('error', () => {})
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port: proxied } = proxy.address() as { port: number }
    const pool = pgPool({
      connectionString: withPort(connectionString, proxied),
      max: 1,
      ...POOLING,
    })
    await run(pool, 'SELECT 1')
    turns.length = 0
    const results = await pool.connect(({ send }) =>
      send([BEGIN, ...[1, 2, 3].map((n) => statementOf(sql`SELECT ${n}::integer`)), COMMIT]),
    )
    expect(results.map(({ rows }) => rows.flat())).toEqual([[], [1], [2], [3], []])
    expect(turns).toEqual(['client', 'server'])
    await pool.close()
    proxy.close()
  })

  test('statements of one send leave in one write', async () => {
    const writes: string[] = []
    class Watched extends Socket {
      override _write(...given: Parameters<Socket['_write']>) {
        writes.push('_write')
        super._write(...given)
      }
      override _writev(...given: Parameters<NonNullable<Socket['_writev']>>) {
        writes.push('_writev')
        super._writev!(...given)
      }
    }
    // The type of the option names the class of a stream, not of a socket.
    const stream = (() => new Watched()) as unknown as NonNullable<pg.PoolConfig['stream']>
    const existing = new pg.Pool({ connectionString, max: 1, stream, pipeline: true })
    const watched = pgPool(existing, POOLING)
    await run(watched, 'SELECT 1')
    await watched.connect(async ({ send }) => {
      writes.length = 0
      const results = await send([
        BEGIN,
        ...[1, 2].map((n) => statementOf(sql`SELECT ${n}::integer`)),
        COMMIT,
      ])
      expect(results.map(({ rows }) => rows.flat())).toEqual([[], [1], [2], []])
      expect(writes).toEqual(['_writev'])
    })
    await existing.end()
  })

  test.skipIf(isPooled)(
    'texts are prepared from their second use on, at most 256 per connection',
    async () => {
      const pool = database.open({ max: 1 })
      const prepared = async () =>
        Number(
          (await run(pool, 'SELECT count(*)::integer FROM pg_prepared_statements')).rows[0]![0],
        )
      for (let time = 0; time < 3; time++) await run(pool, 'SELECT 1')
      const used = await prepared()
      expect(used).toBe(1)
      for (let shape = 0; shape < 600; shape++) {
        await run(pool, `SELECT ${shape}`)
        await run(pool, `SELECT ${shape}`)
      }
      expect(await prepared()).toBeLessThanOrEqual(257)
    },
  )

  test.skipIf(isPooled)(
    'statements are prepared again when their result has other types',
    async () => {
      const [one, other] = [database.open(), database.open()]
      await run(one, `CREATE TABLE "${database.schema}".widened (n integer)`)
      const all = `SELECT * FROM "${database.schema}".widened`
      const begun = () =>
        one.connect(async ({ send }) => {
          await send([BEGIN])
          return send([statementOfText(all), COMMIT])
        })
      for (let time = 0; time < 3; time++) await run(one, all)
      for (const type of ['float8', 'text', 'integer']) {
        await run(
          other,
          `ALTER TABLE "${database.schema}".widened ALTER n TYPE ${type} USING NULL::${type}`,
        )
        // A transaction that began before runs again as a whole.
        if (type === 'text') await expect(begun()).rejects.toMatchObject({ failure: 'conflict' })
        for (let time = 0; time < 3; time++) expect((await run(one, all)).rows).toEqual([])
        await begun()
      }
    },
  )

  test('statements have no names if the pooler does not support them', async () => {
    const pool = pgPool({ connectionString, max: 1, ...POOLING, prepare: false })
    for (let time = 0; time < 3; time++) await run(pool, 'SELECT 1')
    expect((await run(pool, 'SELECT 1 FROM pg_prepared_statements')).rows).toEqual([])
    expect(pool.prepares).toBe(false)
    await pool.close()
  })

  test.skipIf(isPooled)(
    'statements are not compiled just in time, unless a pooler may share the connection',
    async () => {
      for (const prepare of [true, false]) {
        const pool = pgPool({ connectionString, max: 1, prepare })
        const changed = `SELECT source = 'session' FROM pg_settings WHERE name = 'jit'`
        expect((await run(pool, changed)).rows).toEqual([[prepare]])
        await pool.close()
      }
    },
  )

  test.skipIf(isPooled)('cancels a statement that takes too long', async () => {
    const pool = pgPool({ connectionString, statementMilliseconds: 50 })
    await expect(run(pool, 'SELECT pg_sleep(30)')).rejects.toMatchObject({
      failure: 'timeout',
      limitMilliseconds: 50,
    })
    expect((await run(pool, 'SELECT 1')).rows).toEqual([[1]])
    await pool.close()
  })

  test.skipIf(isPooled)(
    'a connection that is lost is unavailable, and the next one works',
    async () => {
      const pool = database.open({ max: 1 })
      const ending = pool.connect(async ({ send }) => {
        const [{ rows }] = (await send([statementOf(sql`SELECT pg_backend_pid()`)])) as [never]
        await run(database.pool, 'SELECT pg_terminate_backend($1)', Number(rows[0]![0]))
        await send([BEGIN, statementOf(sql`SELECT 1`), COMMIT])
      })
      await expect(ending).rejects.toMatchObject({ failure: 'unavailable' })
      expect((await run(pool, 'SELECT 1')).rows).toEqual([[1]])
    },
  )

  test('an existing pool keeps its own decoders and stays open', async () => {
    const existing = new pg.Pool({ connectionString, max: 2 })
    const pool = pgPool(existing)
    const results = await pool.connect(({ send }) =>
      send([BEGIN, statementOf(sql`SELECT 2::bigint`), COMMIT]),
    )
    expect(results[1]!.rows).toEqual([[2]])
    await pool.close()
    expect((await existing.query('SELECT 2::bigint AS n')).rows).toEqual([{ n: '2' }])
    expect(existing.listenerCount('error')).toBe(0)
    await existing.end()
  })

  // A pooler may not know the role, and has connections of its own.
  test.skipIf(isPooled)('a pool uses the connections that the server has left', async () => {
    const role = `${database.schema}_few`
    await run(database.pool, `CREATE ROLE "${role}" LOGIN PASSWORD 'few' CONNECTION LIMIT 3`)
    const address = new URL(connectionString)
    address.username = role
    address.password = 'few'
    const few = pgPool({ connectionString: address.href, max: 20 })
    const other = pgPool({ connectionString: address.href })
    try {
      const all = Array.from({ length: 60 }, () => run(few, 'SELECT pg_sleep(0.02)'))
      expect(await Promise.all(all)).toHaveLength(60)
      expect(few.state?.()).toMatchObject({ idle: 3, max: 20 })
      await expect(run(other, 'SELECT 1')).rejects.toMatchObject({
        failure: 'unavailable',
        message: expect.stringContaining('no connection left'),
      })
    } finally {
      await Promise.all([few.close(), other.close()])
      await run(database.pool, `DROP ROLE "${role}"`)
    }
  })
})

describe('errors', () => {
  test('without a server the pool is unavailable', async () => {
    const pool = pgPool({ connectionString: 'postgres://postgres@127.0.0.1:1/none' })
    await expect(run(pool, 'SELECT 1')).rejects.toMatchObject({ failure: 'unavailable' })
    await pool.close()
  })

  test('a connection that is always refused is reported with what to check', async () => {
    const { connectionString } = inject('databases').find((each) => each.connectionString) ?? {}
    // A pooler has an answer of its own.
    if (connectionString == null || isPooled) return
    const missing = new URL(connectionString)
    missing.pathname = '/no_such_database'
    const unknown = new URL(connectionString)
    unknown.searchParams.set('options', '-c no_such_setting=1')
    const wrong = new URL(connectionString)
    wrong.searchParams.set('options', '-c lc_messages=no_such_locale')
    for (const [{ href }, sqlState] of [
      [missing, '3D000'],
      [unknown, '42704'],
      [wrong, '22023'],
    ] as const) {
      const pool = pgPool({ connectionString: href })
      await expect(run(pool, 'SELECT 1')).rejects.toMatchObject({
        failure: 'unavailable',
        sqlState,
        message: expect.stringMatching(/Check the name of the database.* options/),
      })
      await pool.close()
    }
  })

  test('a server that never answers is unavailable after the time to connect', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const pool = pgPool({
      connectionString: `postgres://postgres@127.0.0.1:${port}/none`,
      connectMilliseconds: 100,
    })
    await expect(run(pool, 'SELECT 1')).rejects.toMatchObject({ failure: 'unavailable' })
    await pool.close()
    silent.close()
  })

  test.each([
    ['23505', 'unique'],
    ['23503', 'constraint'],
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['EN001', 'conflict'],
    ['57014', 'timeout'],
    ['22021', 'text'],
    ['22P05', 'text'],
    ['08006', 'unavailable'],
    ['57P01', 'unavailable'],
    ['57P05', 'unavailable'],
    ['25P03', 'unavailable'],
    ['25P04', 'unavailable'],
    ['25006', 'unavailable'],
    ['53300', 'unavailable'],
    ['54000', 'tooLarge'],
    ['42P01', 'internal'],
    ['EPIPE', 'unavailable'],
    ['ECONNRESET', 'unavailable'],
  ])('%s is %s', (code, failure) => {
    const cause = Object.assign(new Error('secret'), { code })
    expect(databaseError(cause)).toMatchObject({ failure, cause })
    expect(databaseError(cause).message).not.toContain('secret')
  })
})

function addressOf(connectionString: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(connectionString)
  return { host: hostname, port: Number(port || 5432) }
}

function withPort(connectionString: string, port: number): string {
  const url = new URL(connectionString)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
