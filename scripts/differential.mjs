/**
 * `npm run test:differential`: compares the store with SQLite on a million pairs of a filter and
 * tables. ENTIA_PAIRS sets their number, ENTIA_MINUTES a time limit, ENTIA_SEED the seed of an
 * earlier run, and ENTIA_ROUND runs a single round.
 */
import { join } from 'node:path'
import { root, run } from './prepare.mjs'

process.env.ENTIA_PAIRS ??= '1000000'
process.env.ENTIA_SEED ??= `${Date.now() % 1_000_000_000}`

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const test = 'packages/core/test/differential/filters.slow.test.ts'
process.exitCode = run(process.execPath, [vitest, 'run', '--config', 'vitest.workspace.ts', test])
