import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { hostsOf } from '../../src/connect/hosts.ts'
import { pgPool } from '../../src/pg.ts'
import { describeDatabases, run } from '../database.ts'
import { isPooled, POOLING } from '../tested.ts'

describe('the hosts of an address', () => {
  test.each([
    ['postgres://u@a/db', null],
    ['postgres:///db?host=/run/postgresql', null],
    ['postgres://u@a/db?target_session_attrs=any', null],
    ['postgres://u@a/db?target_session_attrs=primary', ['postgres://u@a/db?']],
    [
      'postgresql://u:p%40w@a:1,b/db',
      ['postgresql://u:p%40w@a:1/db?', 'postgresql://u:p%40w@b/db?'],
    ],
    ['postgres://[::1]:5,b/db?x=1', ['postgres://[::1]:5/db?x=1', 'postgres://b/db?x=1']],
    ['postgres://a,b', ['postgres://a?', 'postgres://b?']],
    [
      'postgres:///db?host=a,b&port=1,2',
      ['postgres:///db?host=a&port=1', 'postgres:///db?host=b&port=2'],
    ],
    [
      'postgres:///db?host=a,b&port=1',
      ['postgres:///db?host=a&port=1', 'postgres:///db?host=b&port=1'],
    ],
  ])('%s', (address, addresses) => {
    expect(hostsOf(address)?.addresses ?? null).toEqual(addresses)
  })

  test('an unknown kind is refused with the known ones', () => {
    const address = 'postgres://a,b/db?target_session_attrs=prefer-standby'
    expect(() => hostsOf(address)).toThrow(/target_session_attrs .* any, read-write, read-only, /)
    expect(() => pgPool({ connectionString: address })).toThrow(/prefer-standby/)
  })
})

/**
 * Forwards bytes to the server until it is stopped; then it refuses connections. While it hangs, it
 * accepts connections and forwards nothing, as does a server that was stopped by SIGSTOP or whose
 * packets are lost.
 */
async function relay(connectionString: string) {
  const url = new URL(connectionString)
  const socketFolder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  const open = new Set<Socket>()
  let isStopped = false
  const server = createServer((client) => {
    const target =
      socketFolder === null
        ? connect(port, url.hostname)
        : connect(`${socketFolder}/.s.PGSQL.${port}`)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => isStopped || to.write(bytes))
      from.on('close', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      isStopped = true
      server.close()
    },
    hang() {
      isStopped = true
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

describeDatabases('a pool of several hosts', { connections: 'several', on: 'one' }, (database) => {
  const url = new URL(database.connectionString!)
  const { username = 'postgres', password, pathname } = url
  const user = password === '' ? username : `${username}:${password}`
  const addressOf = (hosts: readonly string[], query = '') =>
    `postgres://${user || 'postgres'}@${hosts.join()}${pathname}?${query}`
  const openRelays = async ({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) => {
    const relays = [await relay(url.href), await relay(url.href)]
    onTestFinished(() => {
      for (const each of relays) each.close()
    })
    return relays
  }
  const one = { name: 'one', text: 'SELECT 1', values: [] }

  test('finds the host of the requested kind', async (context) => {
    const relays = await openRelays(context)
    const hosts = ['127.0.0.1:1', relays[1]!.host]
    const attempt = async (query: string) => {
      const pool = pgPool({ connectionString: addressOf(hosts, query), max: 1, ...POOLING })
      const found = run(pool, 'SELECT 1').then(({ rows }) => rows[0]![0])
      return found.catch(({ failure }) => failure).finally(() => pool.close())
    }
    const readOnly = 'options=-c%20default_transaction_read_only%3Don'
    expect(await attempt('')).toBe(1)
    expect(await attempt('target_session_attrs=primary')).toBe(1)
    expect(await attempt('target_session_attrs=read-write')).toBe(1)
    expect(await attempt('target_session_attrs=standby')).toBe('unavailable')
    expect(await attempt('target_session_attrs=read-only')).toBe('unavailable')
    if (isPooled) return
    expect(await attempt(`target_session_attrs=read-only&${readOnly}`)).toBe(1)
    expect(await attempt(`target_session_attrs=read-write&${readOnly}`)).toBe('unavailable')
  })

  test('leaves a host that has failed, with the requests that wait for it', async (context) => {
    const relays = await openRelays(context)
    const hosts = relays.map(({ host }) => host)
    const connectionString = addressOf(hosts, 'target_session_attrs=read-write')
    const pool = pgPool({ connectionString, max: 2, ...POOLING, statementMilliseconds: 0 })
    await pool.connect(async ({ send }) => {
      await send([one])
      relays[0]!.stop()
      // Without a limit of time it would wait for the lost host for ever.
      const lost = expect(send([one])).rejects.toMatchObject({ failure: 'unavailable' })
      expect((await run(pool, 'SELECT 2')).rows).toEqual([[2]])
      await lost
    })
    expect((await run(pool, 'SELECT 3')).rows).toEqual([[3]])
    await pool.close()
  })

  // These wait until a pool has looked at its host: at the same time.
  test.concurrent.for(['read-write', 'any'])(
    'leaves a host that hangs while another one is there, with target_session_attrs=%s',
    async (kind, { expect, onTestFinished }) => {
      const relays = await openRelays({ onTestFinished })
      const hosts = relays.map(({ host }) => host)
      const connectionString = addressOf(hosts, `target_session_attrs=${kind}`)
      const pool = pgPool({ connectionString, max: 2, ...POOLING })
      let ready = 0
      await Promise.all(
        [1, 2].map(() =>
          pool.connect(async ({ send }) => {
            await send([one])
            ready++
            await vi.waitUntil(() => ready === 2, { timeout: 60_000 })
            relays[0]!.hang()
            await expect(send([one])).rejects.toMatchObject({ failure: 'unavailable' })
          }),
        ),
      )
      expect((await run(pool, 'SELECT 3')).rows).toEqual([[3]])
      await pool.close()
    },
  )

  test.concurrent('stays with a host that answers, however long its statement takes', async ({
    expect,
    onTestFinished,
  }) => {
    const relays = await openRelays({ onTestFinished })
    const hosts = relays.map(({ host }) => host)
    const connectionString = addressOf(hosts, 'target_session_attrs=read-write')
    const pool = pgPool({ connectionString, max: 1, ...POOLING })
    expect((await run(pool, 'SELECT pg_sleep(3.5)::text')).rows).toEqual([['']])
    await pool.close()
  })
})
