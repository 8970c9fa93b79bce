/**
 * `npm run test:commands:sql`: sends the same random requests to a store in memory, to one that
 * reads in the smallest slices, and to two processes over PostgreSQL, and compares every reply.
 * `-- --commands 100000` sets their number, `--database` the address of a server, `--seed` the seed
 * of an earlier run, `--list` runs a single list, `--of` only requests about `everything` or about
 * `sets`, and `--in` only the engine `slices` or `sql`.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from './prepare.mjs'

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '100000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000_000}` },
    list: { type: 'string' },
    of: { type: 'string' },
    in: { type: 'string' },
    database: { type: 'string' },
  },
})
process.env.ENTIA_COMMANDS = values.commands
process.env.ENTIA_SEED = values.seed
if (values.list !== undefined) process.env.ENTIA_LIST = values.list
if (values.of !== undefined) process.env.ENTIA_COMMANDS_OF = values.of
if (values.in !== undefined) process.env.ENTIA_IN = values.in
if (values.database !== undefined) process.env.DATABASE_URL = values.database

process.exitCode = run(process.execPath, [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--config',
  'vitest.workspace.ts',
  'packages/sql/test/commands/commands.slow.test.ts',
])
