import { expect, test } from 'vitest'
import { conformanceAreas, runCase } from '../../../testing/src/conformance/index.ts'
import { describeDatabases } from '../database.ts'
import { sqlHost } from './sql-host.ts'

/** Compares global stamps: other transactions of the server must not raise them. */
const ABOUT_STAMPS = 'E5'

/**
 * Differences from the mode `exact` affect every case, so some are enough; `ENTIA_RUNS=2` runs all.
 */
const EVERY = Number(process.env.ENTIA_RUNS ?? 1) > 1 ? 1 : 10

describeDatabases('conformance in the mode rising', { on: 'one' }, ({ pool }) => {
  test.each(
    Object.entries(conformanceAreas)
      .flatMap(([area, cases]) => cases.map((each) => [area, each.id, each.title, each] as const))
      .filter(([, id], at) => at % EVERY === 0 || id === ABOUT_STAMPS),
  )('%s %s %s', async (_area, _id, _title, each) => {
    const errors: unknown[] = []
    const { problem } = await runCase(sqlHost(pool, errors, 'rising'), each)
    if (problem !== null) console.error(problem, ...errors)
    expect(problem).toBeNull()
  })
})
