/**
 * `npm run test:differential`: a million pairs of a filter and tables, asked of the store and of SQLite.
 * ENTIA_PAIRS: how many; ENTIA_MINUTES: no longer than that; ENTIA_SEED: that of another run; ENTIA_ROUND: one round of it alone.
 */
import { join } from 'node:path'
import { root, run } from './prepare.mjs'

process.env.ENTIA_PAIRS ??= '1000000'
process.env.ENTIA_SEED ??= `${Date.now() % 1_000_000_000}`

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const test = 'packages/core/test/differential/filters.test.ts'
process.exitCode = run(process.execPath, [vitest, 'run', '--config', 'vitest.workspace.ts', '--project', 'core', test])
