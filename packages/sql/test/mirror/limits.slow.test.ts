// What a read in memory may take: the database answers reads that take more.
import { defaultClock } from '@entia/core/internal'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import type { SqlStoreOptions } from '../../src/store/sql-options.ts'
import { describeDatabases } from '../database.ts'
import { MIRRORED, openGallery } from './gallery.ts'

const COUNT = 20_000
const LONG = 'Work?$filter="price>=0"&$orderby=price desc&$attributes=price&$top=1'

describeDatabases('limits of a mirror', { connections: 'several', on: 'one' }, (database) => {
  /** Milliseconds that each reading of the clock takes. */
  let pace = 0
  let late = 0
  const clock = {
    now: () => defaultClock.now(),
    monotonic: () => defaultClock.monotonic() + (late += pace),
  }

  async function serve(more: Partial<SqlStoreOptions> = {}) {
    const schema = database.newSchema()
    const writer = await openGallery(database.open(), schema)
    const rows = Array.from({ length: COUNT }, (_, at) => ({ ID: at + 1, price: at }))
    await writer.load('Work', rows)
    await writer.close()
    const mirror = { dataClasses: MIRRORED }
    const store = await openGallery(database.open(), schema, mirror, { clock, ...more })
    const rest = createRestHandler(store, { metrics: () => true, operator: () => true })
    const ask = async (url: string, method = 'GET') => {
      const headers = { host: 'localhost' }
      const { status, body } = await rest.handle({ method, url: `/rest/${url}`, headers })
      return { status, body: String(body) }
    }
    const counts = async (): Promise<Readonly<Record<string, number>>> => {
      const { body } = await ask('$metrics')
      const found = body.matchAll(/mirror_reads_total\{answer="(\w+)"\} (\d+)/g)
      return Object.fromEntries([...found].map(([, name, count]) => [name, Number(count)]))
    }
    return { store, ask, counts }
  }

  test('a read that takes too long in memory is answered by the database', async () => {
    const { store, ask, counts } = await serve()
    const short = await ask(LONG)
    pace = 100
    const long = await ask(LONG)
    pace = 0
    expect([short.status, long.status, long.body]).toEqual([200, 200, short.body])
    expect(await counts()).toEqual({ mirror: 1, behind: 0, database: 1 })
    await store.close()
  })

  test('a read in memory that takes longer than its request may is refused', async () => {
    const { store, ask } = await serve({ requests: { maxMilliseconds: 1 } })
    // Memory answers it at once; while the mirror is behind, the database may take longer.
    await expect.poll(async () => (await ask('Work(1)?$attributes=price')).status).toBe(200)
    // In many time slices, between which the time of the request ends.
    pace = 0.5
    const late = await ask(LONG)
    pace = 0
    expect([late.status, late.body]).toEqual([503, expect.stringContaining('Try again')])
    await store.close()
  })

  test('reads for which there is no place in memory are answered by the database', async () => {
    const { store, ask, counts } = await serve()
    await ask(LONG)
    pace = 0.5
    const all = await Promise.all(Array.from({ length: 30 }, () => ask(LONG)))
    pace = 0
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const { mirror, database } = await counts()
    expect(mirror).toBeGreaterThan(5)
    expect(database).toBeGreaterThan(5)
    await store.close()
  })
})
