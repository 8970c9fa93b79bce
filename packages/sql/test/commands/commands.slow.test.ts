import { expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { isRising } from '../tested.ts'
import { drawCommand, KIND_NAMES } from './draw-commands.ts'
import { drawSetCommand, SET_KIND_NAMES } from './draw-set-commands.ts'
import {
  commandsOf,
  type DrawCommand,
  inSlices,
  LIST_LENGTH,
  overSql,
  reduced,
  runCommands,
  type Tally,
  type TestedEngine,
} from './run-commands.ts'

/** Set by `npm run test:commands:sql`; else a share that takes a few seconds. */
const count = Number(process.env.ENTIA_COMMANDS ?? 360)
const seed = Number(process.env.ENTIA_SEED ?? 1)
const onlyList = process.env.ENTIA_LIST === undefined ? null : Number(process.env.ENTIA_LIST)
const only = process.env.ENTIA_COMMANDS_OF ?? null

/** Differences after which the run ends. */
const MAX_DIFFERENCES = 3

const LISTS: readonly (readonly [of: string, draw: DrawCommand, kinds: readonly string[]])[] = [
  ['everything', drawCommand, KIND_NAMES],
  ['sets', drawSetCommand, SET_KIND_NAMES],
]

/** Compares `engine` with a store in memory by lists of commands of one kind. */
async function compare(
  engine: TestedEngine,
  [of, draw, kinds]: (typeof LISTS)[number],
  options = '',
): Promise<void> {
  const start = performance.now()
  const tally: Tally = new Map()
  const first = onlyList ?? 0
  const end = onlyList === null ? Math.ceil(count / LIST_LENGTH) : onlyList + 1
  const differences: string[] = []
  for (let list = first; list < end && differences.length < MAX_DIFFERENCES; list++) {
    const identity = list % 3 === 2 ? 'proxy' : 'logins'
    const found = await runCommands(engine, identity, commandsOf(seed, list, draw), tally)
    if (found === null) continue
    const { commands, problem } = await reduced(engine, identity, found)
    const steps = commands.map(({ step }) => JSON.stringify(step)).join('\n')
    differences.push(
      `${problem}\n${steps}\nAgain: ${options}--of ${of} --seed ${seed} --list ${list}`,
    )
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  if (process.env.ENTIA_COMMANDS !== undefined)
    console.log(`${of}, seed ${seed}, ${seconds} s: ${JSON.stringify(Object.fromEntries(tally))}`)
  expect(differences.join('\n\n')).toBe('')
  if (onlyList === null) expect(kinds.filter((kind) => !tally.has(kind))).toEqual([])
}

const lists = LISTS.filter(([of]) => only === null || of === only)
const timeout = 24 * 3_600_000

test.skipIf(process.env.ENTIA_IN === 'sql').each(lists)(
  'about %s: a store that reads in the smallest slices replies to every sequence of requests as one that reads at once',
  { timeout },
  (...list) => compare(inSlices, list, '--in slices '),
)

describeDatabases('commands', { on: 'one' }, ({ pool }) => {
  // In the mode `rising` a failed batch leaves gaps in automatic keys.
  test.skipIf(isRising || process.env.ENTIA_IN === 'slices').each(lists)(
    'about %s: a store over SQL replies to every sequence of requests as one in memory',
    { timeout },
    (...list) => compare(overSql(pool), list, '--in sql '),
  )
})
