import { expect, test } from 'vitest'
import { conformanceAreas, runCase } from '../../../testing/src/conformance/index.ts'
import { describeDatabases } from '../database.ts'
import { sqlHost } from '../engine/sql-host.ts'

/** Each case creates its own schema: `npm run test:sql` runs all of them, the others a sixth. */
const EVERY = Number(process.env.ENTIA_RUNS ?? 1) > 1 ? 1 : 6

describeDatabases('conformance of mirrored dataclasses', { on: 'one' }, ({ open }) => {
  const pool = open()

  test.each(
    Object.entries(conformanceAreas)
      .flatMap(([area, cases]) => cases.map((each) => [area, each.id, each.title, each] as const))
      .filter((_, at) => at % EVERY === 1 % EVERY),
  )('%s %s %s', async (_area, _id, _title, each) => {
    const errors: unknown[] = []
    const { problem } = await runCase(sqlHost(pool, errors, true), each)
    if (problem !== null) console.error(problem, ...errors)
    expect(problem).toBeNull()
  })
})
