import { createInterface } from 'node:readline'
import { pgPool } from '../../src/pg.ts'
import { KIND_NAMES } from './draw-commands.ts'
import { SET_KIND_NAMES } from './draw-set-commands.ts'
import { listOf, reduced, runCommands, type Tally } from './run-commands.ts'
import { overMirrors, overProcesses, overSql } from './sql-targets.ts'
import { TARGETS, type Target } from './targets.ts'

// A separate program: reads seeds, one per line, runs the list of each on a target, and prints a
// line of JSON per seed. See scripts/long.mjs.

const [name = ''] = process.argv.slice(2)
const target = TARGETS.get(name) ?? sqlTarget()
const expected = [
  ...KIND_NAMES,
  ...(target.restarts === true ? ['restart'] : SET_KIND_NAMES),
  'contended',
  'at the same time',
].map((kind) => `${name}: ${kind}`)

function sqlTarget(): Target {
  const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const pool = pgPool({ connectionString, max: 8 })
  if (name === 'mirrors') return overMirrors(pool)
  return name === 'sql' ? overSql(pool) : overProcesses(pool, connectionString)
}

// The parent process may have ended.
process.stdout.on('error', () => process.exit(0))
for await (const line of createInterface({ input: process.stdin })) {
  const seed = Number(line)
  const list = listOf(seed, target)
  const tally: Tally = new Map()
  const found = await runCommands(target, list, tally)
  const shortest = found === null ? null : await reduced(target, seed, found)
  const counts = [...tally].map(([kind, count]) => [`${name}: ${kind}`, count])
  const report = {
    seed,
    commands: list.commands.length,
    counts,
    failure:
      shortest === null
        ? null
        : {
            path: '',
            commands: shortest.commands.map((command) => JSON.stringify(command)).join('\n'),
            problem: shortest.problem,
          },
    expected,
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
process.exit(0)
