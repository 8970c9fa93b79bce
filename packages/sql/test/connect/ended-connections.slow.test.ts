import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled } from '../tested.ts'

// An error of a connection that reaches no listener ends the process: the test runner reports it.

/** A message of the server: its type, its length and its bytes. */
function message(type: string, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = Buffer.from(`${type}....`)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}
const READY = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')])
const ENDED = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')
/** The answer to a statement without rows. */
const DONE = Buffer.concat([
  message('1'),
  message('2'),
  message('n'),
  message('C', 'SET\0'),
  message('Z', 'I'),
])

/** How the server behaves: each is called with the bytes of a client. */
interface Behaviour {
  begin(client: Socket): void
  statement(client: Socket): void
  /** The client says that it ends the connection. */
  end?(client: Socket): void
}

const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

async function serverThat({ begin, statement, end }: Behaviour): Promise<string> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    let isStarted = false
    client.on('error', () => {})
    client.on('data', (bytes) => {
      if (!isStarted) begin(client)
      else if (bytes[0] === 'X'.charCodeAt(0)) end?.(client)
      else statement(client)
      isStarted = true
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closings.push(async () => {
    for (const each of open) each.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const endNow = (client: Socket): void => {
  client.end(ENDED)
}
/** Until what the sockets still bring has come. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

async function expectUnavailable(pool: SqlPool): Promise<void> {
  closings.push(() => pool.close())
  await expect(run(pool, 'SELECT 1')).rejects.toMatchObject({ failure: 'unavailable' })
  await settled()
}

describe('a server that ends a connection', () => {
  const addressOf = (host: string) => `postgres://postgres@${host}/none`
  const several = (host: string) => `${addressOf(host)}?target_session_attrs=primary`

  test.each(['one host', 'several hosts', 'an existing pool'])(
    'in the bytes that tell that it is ready: %s',
    async (kind) => {
      const host = await serverThat({
        begin: (client) => client.end(Buffer.concat([READY, ENDED])),
        statement: endNow,
      })
      const connectionString = kind === 'several hosts' ? several(host) : addressOf(host)
      await expectUnavailable(
        kind === 'an existing pool'
          ? pgPool(new pg.Pool({ connectionString }))
          : pgPool({ connectionString, prepare: false }),
      )
    },
  )

  test('during the query for its kind makes the pool unavailable', async () => {
    const host = await serverThat({ begin: (client) => client.write(READY), statement: endNow })
    await expectUnavailable(pgPool({ connectionString: several(host) }))
  })

  test('by not answering the query for its kind makes the pool unavailable', async () => {
    const host = await serverThat({ begin: (client) => client.write(READY), statement() {} })
    const connectionString = several(host)
    await expectUnavailable(pgPool({ connectionString, connectMilliseconds: 100 }))
  })

  test('while the pool is closing causes no error', async () => {
    let ended = 0
    const host = await serverThat({
      begin: (client) => client.write(READY),
      statement: (client) => client.write(DONE),
      end(client) {
        ended++
        endNow(client)
      },
    })
    const pool = pgPool({ connectionString: addressOf(host), prepare: false })
    await run(pool, 'SELECT 1')
    await pool.close()
    await settled()
    expect(ended).toBe(1)
  })
})

describeDatabases('ended connections', { connections: 'several', on: 'one' }, (database) => {
  // A pooler does not pass on the name of the application.
  test.skipIf(isPooled)(
    'pools continue while an administrator terminates their connections',
    async () => {
      const connectionString = database.connectionString!
      const { schema: applicationName } = database
      const address = new URL(connectionString)
      address.searchParams.set('target_session_attrs', 'primary')
      const existing = new pg.Pool({ connectionString, max: 2, application_name: applicationName })
      existing.on('error', () => {})
      const pools = [
        pgPool({ connectionString, max: 2, applicationName, prepare: false }),
        pgPool({ connectionString: address.href, max: 2, applicationName }),
        pgPool(existing),
      ]
      let isOver = false
      let ended = 0
      let answered = 0
      const asking = pools.flatMap((pool) =>
        [0, 1, 2].map(async () => {
          while (!isOver)
            await run(pool, 'SELECT 1').then(
              () => answered++,
              (error) => expect(error).toMatchObject({ failure: 'unavailable' }),
            )
        }),
      )
      for (let round = 0; round < 100 || ended <= 50 || answered === 0; round++) {
        const { rows } = await run(
          database.pool,
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
          applicationName,
        )
        ended += rows.length
        await new Promise((resolve) => setTimeout(resolve, round % 7))
      }
      isOver = true
      await Promise.all(asking)
      for (const pool of pools) expect((await run(pool, 'SELECT 1')).rows).toEqual([[1]])
      await Promise.all(pools.map((pool) => pool.close()))
      await existing.end()
      expect(ended).toBeGreaterThan(50)
      expect(answered).toBeGreaterThan(0)
    },
  )
})
