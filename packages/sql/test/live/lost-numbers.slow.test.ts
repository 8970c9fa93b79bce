import { beforeAll, describe, expect, test } from 'vitest'
import { pgPool } from '../../src/pg.ts'
import { run } from '../database.ts'
import { type OwnCluster, ownCluster } from '../failure/own-cluster.ts'
import { openBank } from './bank.ts'

/**
 * Transactions that are rolled back: only they and what they would have written know their numbers.
 */
const ROLLED_BACK = 50

describe('a server that crashes', () => {
  let server: OwnCluster
  beforeAll(async () => {
    // Only commits that wait for the disk are written before the crash.
    server = await ownCluster(['wal_writer_delay=10s', 'autovacuum=off', 'bgwriter_delay=10s'])
    await server.start()
    return () => server.remove()
  }, 120_000)

  test('assigns transaction numbers again, and followers miss no commit', async () => {
    const { connectionString } = server
    const pool = pgPool({ connectionString, max: 4 })
    const { store, rest, save } = await openBank(pool, 'bank', { globalStamp: 'rising' })
    await save('Owner', { ID: 1 })
    const stamp = async (): Promise<number> => {
      const url = '/rest/Owner?$top=1'
      const { body } = await rest.handle({ method: 'GET', url, headers: { host: 'localhost' } })
      return JSON.parse(String(body)).__GlobalStamp
    }
    for (let at = 0; at < ROLLED_BACK; at++)
      await pool.connect(async ({ send }) => {
        const statement = (text: string) => ({ name: text, text, values: [] })
        await send([statement('BEGIN'), statement('SELECT pg_current_xact_id()')])
      })
    const seen = await stamp()
    await server.stop('immediate')
    await server.start()
    while ((await run(pool, 'SELECT 1').catch(() => null)) === null);
    await save('Owner', { ID: 2 })
    const after = await stamp()
    expect(after).toBeGreaterThan(seen)
    const changes = store.changes({ since: seen })[Symbol.asyncIterator]()
    expect((await changes.next()).value?.changes).toMatchObject([{ key: 2, kind: 'insert' }])
    await changes.return?.()
    await store.close()
  })
})
