import { type AsyncPairs, type Bank, PAIR_SUM } from './bank.ts'
import type { RaceOptions, RaceResult } from './races.ts'

/** Calls that a player makes while others move money between the halves of the pairs. */
export interface MomentPlan {
  readonly process: number
  readonly pairs: readonly string[]
  readonly steps: number
}

/**
 * Each half of a pair is in a dataclass of its own, and money moves between them in one commit. So
 * what one call reads of both always adds up: in a function, in a hook that decides about a save,
 * and in a transaction that only reads, whatever it awaits.
 */
export async function checkMoments({
  players,
  rounds,
  lanes,
  seed,
  isOver,
}: RaceOptions): Promise<RaceResult & { readonly refused: number }> {
  const pairs = Array.from({ length: lanes }, (_, at) => `pair${seed}x${at}.`)
  for (const pair of pairs) {
    const replies = await players[0]!.ask([
      { method: 'POST', path: 'Account', body: { email: pair, balance: 100 } },
      { method: 'POST', path: 'Reserve', body: { pair, balance: 100 } },
    ])
    const wrong = replies.find(({ status }) => status !== 200)
    if (wrong !== undefined) throw new Error(`No pair could be created: ${JSON.stringify(wrong)}`)
  }
  const violations: string[] = []
  let count = 0
  let refused = 0
  while (count < rounds && !isOver()) {
    const steps = Math.min(20, rounds - count)
    const played = await Promise.all(
      players.map((player, process) => player.moments({ process, pairs, steps })),
    )
    violations.push(...played.flatMap((each) => each.violations))
    refused += played.reduce((sum, each) => sum + each.refused, 0)
    count += steps
  }
  return { rounds: count, violations, refused }
}

export interface MomentsDone {
  readonly violations: readonly string[]
  /** Calls that conflicted with others until they were given up. */
  readonly refused: number
}

/** Moves money, and asks what each kind of call sees, for each pair at the same time. */
export async function playMoments(
  bank: Bank,
  { process, pairs, steps }: MomentPlan,
): Promise<MomentsDone> {
  const violations: string[] = []
  let refused = 0
  const play = async (pair: string): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      const amount = ((process + step) % 5) - 2
      const seen = await Promise.all([
        bank.ask({ method: 'POST', path: '$catalog/shift', body: [pair, amount] }),
        bank.ask({ method: 'POST', path: '$catalog/sumOfPair', body: [pair] }),
        bank.ask({ method: 'POST', path: 'Line', body: { text: `pair ${pair}` } }),
        bank.transact((tx) => sumOver(tx, pair)),
      ])
      const [, called, , read] = seen
      for (const reply of seen.slice(0, 3) as readonly (typeof called)[])
        if (reply.status === 503) refused++
        else if (reply.status !== 200)
          violations.push(`${pair} ${reply.status} ${JSON.stringify(reply.body)}`)
      if (called.status === 200 && called.body.result !== PAIR_SUM)
        violations.push(`${pair} a function saw ${called.body.result}`)
      if (read !== PAIR_SUM) violations.push(`${pair} a transaction saw ${read}`)
    }
  }
  await Promise.all(pairs.map(play))
  return { violations, refused }
}

async function sumOver(tx: AsyncPairs, pair: string): Promise<number> {
  const account = await tx.Account!.query`email = ${pair}`.first()
  // Others commit meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 2))
  const reserve = await tx.Reserve!.query`pair = ${pair}`.first()
  return account!.balance + reserve!.balance
}
