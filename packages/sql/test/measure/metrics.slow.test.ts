import { createRestHandler, type RestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { createHrStore } from '../engine/world.ts'

/** A pool that can be cut off. */
function breakable(pool: SqlPool) {
  let isAway = false
  const through: SqlPool = {
    prepares: pool.prepares,
    state: () => pool.state!(),
    query: (statement) => through.connect(async ({ send }) => (await send([statement]))[0]!),
    connect: (body) =>
      isAway ? Promise.reject(new DatabaseError('unavailable', null)) : pool.connect(body),
    close: () => pool.close(),
  }
  return {
    pool: through,
    cut: (away: boolean) => {
      isAway = away
    },
  }
}

describeDatabases('metrics of a store over PostgreSQL', {}, ({ open, newSchema }) => {
  const database = breakable(open())
  const memory = createHrStore(30)
  let rest: RestHandler

  beforeAll(async () => {
    rest = createRestHandler(await openCopy(memory, database.pool, newSchema()), { metrics: true })
  })

  const scrape = async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await rest.metrics()).split('\n').filter((line) => /^entia/.test(line))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    )
  }
  const ask = async (method: string, url: string, content?: object): Promise<number> => {
    const body = content === undefined ? {} : { body: JSON.stringify(content) }
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    return (await rest.handle({ method, url: `/rest/${url}`, headers, ...body })).status
  }
  /** By how much each metric grew. */
  const growth = async (body: () => Promise<unknown>) => {
    const before = await scrape()
    await body()
    const after = await scrape()
    return (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  }

  test('a page takes one round trip, and its count is cached for the second', async () => {
    const url = 'Employee?$filter="salary>4000"'
    const first = await growth(() => ask('GET', url))
    const second = await growth(() => ask('GET', url))
    for (const grown of [first, second]) {
      expect(grown('entia_database_round_trip_seconds_count{kind="read"}')).toBe(1)
      expect(grown('entia_database_statements_total{kind="read"}')).toBe(1)
      expect(grown('entia_database_round_trip_seconds_count{kind="decide"}')).toBe(0)
    }
    expect(first('entia_counts_total{result="counted"}')).toBe(1)
    expect(second('entia_counts_total{result="known"}')).toBe(1)
  })

  test('a save takes one attempt of two round trips, with a commit', async () => {
    const grown = await growth(() => ask('POST', 'Employee?$method=update', { lastName: 'New' }))
    expect(grown('entia_decision_attempts_total')).toBe(1)
    expect(grown('entia_decision_commits_total')).toBe(1)
    expect(grown('entia_database_round_trip_seconds_count{kind="decide"}')).toBe(1)
    expect(grown('entia_database_round_trip_seconds_count{kind="commit"}')).toBe(1)
    expect(grown('entia_gate_wait_seconds_count')).toBe(1)
  })

  test('a sample contains the figures of the database', async () => {
    const samples = await scrape()
    expect(samples.get('entia_database_up')).toBe(1)
    expect(samples.get('entia_entities{dataclass="Company"}')).toBe(3)
    expect(samples.get('entia_database_bytes')).toBeGreaterThan(100_000)
    expect(samples.get('entia_database_server_connections_max')).toBeGreaterThan(0)
    expect(samples.get('entia_database_pool_waiting')).toBe(0)
    expect(samples.get('entia_database_pool_connections{state="in_use"}')).toBe(0)
  })

  test('without the database the figures of the process are available', async () => {
    const other = createRestHandler(await openCopy(memory, database.pool, newSchema()))
    database.cut(true)
    try {
      expect(await ask('GET', 'Employee')).toBe(503)
      const text = await other.metrics()
      expect(text).toContain('entia_database_up 0\n')
      expect(text).toContain('entia_decision_attempts_total 0\n')
      expect(text).not.toContain('entia_sessions ')
      expect(
        (await scrape()).get('entia_database_failures_total{failure="unavailable"}'),
      ).toBeGreaterThan(0)
    } finally {
      database.cut(false)
    }
  })
})
