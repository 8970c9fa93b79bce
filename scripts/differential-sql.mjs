/**
 * `npm run test:differential:sql`: compares core with PostgreSQL on random filters, orders,
 * aggregates, distinct values and groups. `-- --pairs 50000` sets the number of filters,
 * `--database` the address of a server (without it, PGlite runs in this process), `--seed` the seed
 * of an earlier run, and `--round` runs a single round.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from './prepare.mjs'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000_000}` },
    round: { type: 'string' },
    database: { type: 'string' },
  },
})
process.env.ENTIA_PAIRS = values.pairs
process.env.ENTIA_SEED = values.seed
if (values.round !== undefined) process.env.ENTIA_ROUND = values.round
if (values.database !== undefined) process.env.ENTIA_POSTGRES = values.database

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const test = 'packages/sql/test/differential/filters.slow.test.ts'
process.exitCode = run(process.execPath, [vitest, 'run', '--config', 'vitest.workspace.ts', test])
