import { CELLS, Counts } from './cells.ts'
import { type Compared, Comparer, type Difference, nothingCompared } from './compare.ts'
import { type Question, randomQuestion } from './generate.ts'
import { Oracle } from './oracle.ts'
import { printFilter } from './print.ts'
import { Random } from './random.ts'
import { type Comparison, comparisonsOf } from './tree.ts'
import { describeWorld, newStore, openWorld, randomWorld } from './world.ts'

/** The number of worlds that are loaded together: SQLite answers for all of them at once. */
const WORLDS = 4
/** The number of filters before the worlds are replaced. */
const FILTERS = 200
const PAIRS_PER_ROUND = WORLDS * FILTERS

export interface RunOptions {
  readonly pairs: number
  /** The run ends early after this many milliseconds. */
  readonly minutes: number
  readonly seed: number
  /** Runs only this round, to repeat a difference. */
  readonly onlyRound: number | null
  /** The number of differences after which the run ends. */
  readonly maxDifferences: number
}

export interface RunResult {
  readonly pairs: number
  readonly worlds: number
  readonly counts: Counts
  readonly compared: Compared
  /**
   * Each difference as text: filter, SQL, found and expected results, and the command that repeats
   * it.
   */
  readonly differences: readonly string[]
}

/**
 * Compares the engine with SQLite over many small worlds. Cells take turns, each time in a random
 * order, so that all are hit equally often. Each round depends only on the seed and its number. A
 * run has at least the requested number of pairs, in whole rounds.
 */
export async function runDifferential(options: RunOptions): Promise<RunResult> {
  const { pairs, minutes, seed, onlyRound, maxDifferences } = options
  const deadline = performance.now() + minutes * 60_000
  const oracle = await Oracle.open()
  const counts = new Counts()
  const compared = nothingCompared()
  const differences: string[] = []
  const first = onlyRound ?? 0
  const end = onlyRound === null ? Math.ceil(pairs / PAIRS_PER_ROUND) : onlyRound + 1
  let round = first
  for (
    ;
    round < end && differences.length < maxDifferences && performance.now() < deadline;
    round++
  ) {
    differences.push(...compareRound(oracle, seed, round, counts, compared))
    // Reports progress to the parent process from time to time.
    await new Promise((resolve) => setImmediate(resolve))
  }
  oracle.close()
  return {
    pairs: compared.members,
    worlds: (round - first) * WORLDS,
    counts,
    compared,
    differences,
  }
}

function compareRound(
  oracle: Oracle,
  seed: number,
  round: number,
  counts: Counts,
  compared: Compared,
): readonly string[] {
  const random = new Random(seed, round)
  // The last world is queried inside a transaction.
  const worlds = Array.from({ length: WORLDS }, (_, i) =>
    i < WORLDS - 1 ? randomWorld(random) : openWorld(random),
  )
  const stores = worlds.map((world) => {
    const store = newStore()
    world.fill(store)
    return store
  })
  stores[0].verify()
  oracle.fill(worlds)
  const comparer = new Comparer(oracle, stores, random)
  const found: string[] = []
  const inside = stores[WORLDS - 1]
  const end = new Error('the end of the round')
  try {
    inside.transact(() => {
      worlds[WORLDS - 1].leadAstray(inside)
      askAll()
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
  inside.verify()
  for (const name of Object.keys(compared) as (keyof Compared)[])
    compared[name] += comparer.compared[name]
  for (const store of stores) store.close()
  return found

  function askAll(): void {
    for (let i = 0; i < FILTERS; i++) {
      const question = randomQuestion(random, cellAt(seed, round * FILTERS + i))
      const printed = printFilter(random, question.condition)
      for (const comparison of comparisonsOf(question.condition))
        counts.add(cellOf(comparison), comparison, WORLDS)
      const difference = outcome(() => comparer.compare(question, printed))
      if (difference === null) continue
      const smallest = smallestOf(comparer, random, question)
      found.push(
        [
          `${question.root}: ${printed.text}`,
          `given: ${JSON.stringify(printed.parameters)}`,
          ...described(difference),
          ...(smallest === null ? [] : ['', `smaller: ${smallest}`]),
          '',
          describeWorld(worlds[difference.world], difference.sql),
          '',
          `Again: npm run test:long -- differential --seed ${seed} --round ${round}`,
        ].join('\n'),
      )
    }
  }
}

/** An error of the engine is a difference too: the language allows every generated filter. */
function outcome(compare: () => Difference | null): Difference | null {
  try {
    return compare()
  } catch (error) {
    return {
      world: 0,
      what: 'error',
      sql: '',
      found: error instanceof Error ? error.stack : error,
      expected: 'an answer',
    }
  }
}

const described = ({ what, sql, found, expected }: Difference): readonly string[] => [
  `differs in ${what}`,
  `SQL: ${sql}`,
  `found:    ${typeof found === 'string' ? found : JSON.stringify(found)}`,
  `expected: ${JSON.stringify(expected)}`,
]

/** A single comparison of the filter that differs by itself, if there is one. */
function smallestOf(
  comparer: Comparer,
  random: Random,
  { root, condition }: Question,
): string | null {
  for (const comparison of comparisonsOf(condition)) {
    const printed = printFilter(random, comparison)
    const difference = outcome(() => comparer.members({ root, condition: comparison }, printed))
    if (difference !== null)
      return `${printed.text} ${JSON.stringify(printed.parameters)}\n${described(difference).join('\n')}`
  }
  return null
}

const cellOf = ({ label, operator, form }: Comparison) => ({
  label,
  operator: form === 'alone' ? ('alone' as const) : operator,
  form,
})

/** The cell of the n-th pair: all cells once in one order, then again in another. */
function cellAt(seed: number, n: number) {
  const round = Math.floor(n / CELLS.length)
  if (round !== lastOrder.round || seed !== lastOrder.seed)
    lastOrder = { seed, round, cells: new Random(seed ^ 0x5eed, round).shuffled(CELLS) }
  return lastOrder.cells[n % CELLS.length]
}
let lastOrder: { readonly seed: number; readonly round: number; readonly cells: typeof CELLS } = {
  seed: 0,
  round: -1,
  cells: [],
}

/** The summary of a run as text. */
export function report(
  { pairs, worlds, counts, compared }: RunResult,
  seed: number,
  seconds: number,
): string {
  const { cells, ways } = counts
  const hits = cells.reduce((sum, [, hits]) => sum + hits, 0)
  return [
    `${pairs} pairs of a filter and tables (${worlds} sets of tables of up to 30 rows), seed ${seed}, ${seconds.toFixed(0)} s`,
    `${cells.length} cells, hit ${hits} times; least: ${cells[0][1]} (${cells[0][0]})`,
    `${ways.length} of operator, value and way of relations; least: ${ways[0]?.[1] ?? 0} (${ways[0]?.[0] ?? 'none'})`,
    `${Math.round((100 * compared.parting) / compared.members)} % of the filters select some and not all; also compared: ${compared.plans} plans, ${compared.orders} orders, ${compared.aggregates} aggregates, ${compared.distinct} distinct values`,
  ].join('\n')
}
