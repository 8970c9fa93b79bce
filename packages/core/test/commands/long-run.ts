import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { Divergence } from './divergence.ts'
import { commandLists } from './draw-commands.ts'
import { ALL_OUTCOMES } from './outcomes.ts'
import { runCommands } from './run-commands.ts'
import { Tally } from './tally.ts'

// A separate program: reads seeds, one per line, runs the commands of each, and prints a line of
// JSON per seed. See scripts/long.mjs.

/** The number of lists of commands per seed. */
const LISTS = 100

/** A minimised divergence, and the path that replays it. */
interface Failure {
  readonly path: string
  readonly commands: string
  readonly problem: string
}

/** Runs all lists of one seed, or those of a path; null if there is no divergence. */
function runSeed(seed: number, path: string, tally: Tally): Failure | null {
  const property = fc.property(commandLists, (commands) => runCommands(commands, tally))
  const replay = path === '' ? {} : { path, endOnFailure: true }
  const details = fc.check(property, { seed, numRuns: path === '' ? LISTS : 1, ...replay })
  if (!details.failed) return null
  const { counterexample, counterexamplePath, errorInstance } = details
  const problem =
    errorInstance instanceof Divergence ? errorInstance.message : String(errorInstance)
  return { path: counterexamplePath ?? '', commands: JSON.stringify(counterexample?.[0]), problem }
}

const path = process.argv[2] ?? ''
// Most errors are expected here, and their stacks are not read.
if (path === '') Error.stackTraceLimit = 0
// The parent process may have ended.
process.stdout.on('error', () => process.exit(0))
for await (const line of createInterface({ input: process.stdin })) {
  const tally = new Tally()
  const failure = runSeed(Number(line), path, tally)
  const { commands, counts } = tally
  const report = {
    seed: Number(line),
    commands,
    counts: [...counts],
    failure,
    expected: ALL_OUTCOMES,
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
