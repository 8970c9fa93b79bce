import { anomalyIn, type Done } from '../../../rest/test/interleavings/histories.ts'
import type { HistoryDone } from './history-player.ts'
import type { Player } from './player.ts'
import { createAccounts, type RaceResult } from './races.ts'

export interface HistoriesOptions {
  readonly players: readonly Player[]
  readonly histories: number
  /** Transactions of each of the two clients of a player, in each history. */
  readonly steps: number
  readonly seed: number
  readonly isOver: () => boolean
}

/** Accounts of one history. Each begins with a balance of 100. */
const ACCOUNTS = 3
/** Histories that are played and checked at a time. */
const CHUNK = 20

/**
 * Plays histories of appends, reads and transfers, and checks each as elle checks list appends. A
 * list has all of its versions as beginnings, so the last list tells their order. From it follow
 * the dependencies between transactions: `ww` (appended after), `wr` (read what it appended), `rw`
 * (read what it appended to later), and `rt` (began after it had ended). A cycle is an anomaly: G0
 * with `ww` only, G1c with `wr`, G-single with one `rw`, G2 with several; with `rt` it is legal for
 * serializable, but not for strictly serializable transactions. G1a (refused appends), G1b (parts
 * of a transaction) and lost updates are found in the lists themselves. Transfers keep the sum of
 * the balances, which every page shows.
 */
export async function checkHistories(
  options: HistoriesOptions,
): Promise<RaceResult & { readonly transactions: number; readonly refused: number }> {
  const { players, histories, steps, seed, isOver } = options
  const violations: string[] = []
  let transactions = 0
  let refused = 0
  let first = 0
  for (; first < histories && !isOver(); first += CHUNK) {
    const count = Math.min(CHUNK, histories - first)
    const accounts = await createAccounts(players[0]!, count * ACCOUNTS)
    const plan = Array.from({ length: count }, (_, at) =>
      accounts.slice(at * ACCOUNTS, (at + 1) * ACCOUNTS),
    )
    const played = await Promise.all(
      players.map((player, process) =>
        player.histories({ seed: seed + first, process, histories: plan, steps }),
      ),
    )
    const done = played.flat()
    transactions += done.length
    refused += done.filter(({ outcome }) => outcome !== 'committed').length
    const last = await finalLists(players[0]!, accounts)
    for (const [at, keys] of plan.entries()) {
      const own = done.filter(({ history }) => history === at)
      violations.push(
        ...wrongIn(own, new Map(keys.map((key) => [key, last.get(key)!]))).map(
          (text) => `history ${first + at}: ${text}`,
        ),
      )
    }
  }
  return { rounds: Math.min(first, histories), violations, transactions, refused }
}

export interface Final {
  readonly balance: number
  readonly log: readonly string[]
}

async function finalLists(
  player: Player,
  accounts: readonly number[],
): Promise<ReadonlyMap<number, Final>> {
  const range = `ID >= ${accounts[0]} and ID <= ${accounts.at(-1)}`
  const path = `Account?$filter="${range}"&$top=${accounts.length}&$orderby=ID`
  const [reply] = await player.ask([{ path }])
  const rows: readonly (Final & { readonly ID: number })[] = reply!.body.__ENTITIES
  return new Map(rows.map((row) => [row.ID, row]))
}

/** The anomalies of one history. */
export function wrongIn(
  history: readonly HistoryDone[],
  final: ReadonlyMap<number, Final>,
): readonly string[] {
  const lists = new Map(Array.from(final, ([key, { log }]) => [key, log]))
  const stored = new Set([...lists.values()].flat())
  const done = history.map(
    ({ id, outcome, appended, read, began, ended }): Done => ({
      id,
      isCommitted: outcome === 'committed' || (outcome === 'unknown' && stored.has(id)),
      appended,
      read: new Map(read),
      began,
      ended,
    }),
  )
  const anomaly = anomalyIn(done, lists)
  const sums = [
    ...history.flatMap(({ sum }) => (sum === null ? [] : [sum])),
    [...final.values()].reduce((total, { balance }) => total + balance, 0),
  ]
  return [
    ...history.flatMap(({ id, problem }) => (problem === null ? [] : [`${id}: ${problem}`])),
    ...(anomaly === null ? [] : [anomaly]),
    ...sums.filter((sum) => sum !== ACCOUNTS * 100).map((sum) => `the balances add up to ${sum}`),
  ]
}
