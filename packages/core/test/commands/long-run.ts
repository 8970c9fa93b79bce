import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { Divergence } from './divergence.ts'
import { commandLists } from './draw-commands.ts'
import { ALL_OUTCOMES } from './outcomes.ts'
import { runCommands } from './run-commands.ts'
import { Tally } from './tally.ts'

// A program of its own: takes seeds, a line each, does the commands of each, and answers a line of
// JSON. See scripts/test-long.mjs.

/** Lists of commands that a seed stands for. */
const LISTS = 100

/** What a divergence comes down to, and what replays it. */
interface Failure {
  readonly path: string
  readonly commands: string
  readonly problem: string
}

/** All lists of one seed, or those that a path leads to; null when nothing diverged. */
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
// Most of what is thrown is expected here, and nobody reads where it came from.
if (path === '') Error.stackTraceLimit = 0
// Whoever asked may have gone.
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
