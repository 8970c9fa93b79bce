import { expect, test } from 'vitest'
import {
  type ConformanceHost,
  conformanceAreas,
  runCase,
} from '../../../testing/src/conformance/index.ts'
import { describeDatabases } from '../database.ts'
import { mostRoundTrips, RoundTrips } from './round-trips.ts'
import { sqlHost } from './sql-host.ts'

/** Each case creates its own schema: `npm run test:sql` runs all of them, the others a sixth. */
const EVERY = Number(process.env.ENTIA_RUNS ?? 1) > 1 ? 1 : 6

describeDatabases('conformance', { on: 'one' }, ({ open }) => {
  const trips = new RoundTrips()
  const pool = open({ onSend: trips.onSend })

  test.each(
    Object.entries(conformanceAreas)
      .flatMap(([area, cases]) => cases.map((each) => [area, each.id, each.title, each] as const))
      .filter((_, at) => at % EVERY === 0),
  )('%s %s %s', async (_area, _id, _title, each) => {
    const errors: unknown[] = []
    const tooMany: string[] = []
    const { problem } = await runCase(counted(sqlHost(pool, errors), trips, tooMany), each)
    if (problem !== null) console.error(problem, ...errors)
    expect(problem).toBeNull()
    expect(tooMany).toEqual([])
  })
})

/** A host that notes the requests that take too many round trips. */
const counted = (host: ConformanceHost, trips: RoundTrips, tooMany: string[]): ConformanceHost => ({
  ...host,
  async open(store, options) {
    const opened = await host.open(store, options)
    return {
      ...opened,
      async request(request) {
        trips.take()
        const reply = await opened.request(request)
        const taken = trips.take()
        // A decision on a row that was read lately is made again if the row is locked.
        const most = mostRoundTrips(request) + (reply.status === 423 ? 1 : 0)
        if (taken > most) tooMany.push(`${request.method} ${request.url}: ${taken}, not ${most}`)
        return reply
      },
    }
  },
})
