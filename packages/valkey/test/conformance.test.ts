import { expect, test } from 'vitest'
import { describeDatabases } from '../../sql/test/database.ts'
import { sqlHost } from '../../sql/test/engine/sql-host.ts'
import { conformanceAreas, runCase } from '../../testing/src/conformance/index.ts'
import { valkeyState } from '../src/index.ts'
import { describeValkey } from './server.ts'

/** `npm run test:sql` runs all cases; `npm test` some of those that name an entity set. */
const isLong = Number(process.env.ENTIA_RUNS ?? 1) > 1
const EVERY = isLong ? 1 : 9

const cases = Object.entries(conformanceAreas)
  .flatMap(([area, list]) => list.map((each) => [area, each.id, each.title, each] as const))
  .filter(([, , , each]) => isLong || /entityset|upload/i.test(JSON.stringify(each)))
  .filter((_, at) => at % EVERY === 0)

describeDatabases('conformance with Valkey', { on: 'one' }, ({ open }) => {
  describeValkey('a server', (server) => {
    const pool = open()

    test.each(cases)('%s %s %s', async (_area, _id, _title, each) => {
      const errors: unknown[] = []
      const client = server.client()
      const host = sqlHost(pool, errors, 'exact', (clock, prefix) => ({
        volatileState: valkeyState(
          { client, prefix, commandMilliseconds: 30_000 },
          { now: () => clock.now() },
        ),
      }))
      const { problem } = await runCase(host, each)
      client.disconnect()
      if (problem !== null) console.error(problem, ...errors)
      expect(problem).toBeNull()
    })
  })
})
