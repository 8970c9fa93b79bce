import { type Asked, type BankPlace, openBank, type Reply } from './bank.ts'
import { startChild } from './child.ts'
import { type HistoryDone, type HistoryPlan, playHistories } from './history-player.ts'
import { type LockDone, type LockPlan, playLocks } from './lock-player.ts'
import { type MomentPlan, type MomentsDone, playMoments } from './moments.ts'

/** An order to a process. */
export type Command =
  | { readonly kind: 'ask'; readonly asked: readonly Asked[] }
  | { readonly kind: 'locks'; readonly plan: LockPlan }
  | { readonly kind: 'histories'; readonly plan: HistoryPlan }
  | { readonly kind: 'moments'; readonly plan: MomentPlan }

/** One of several processes over one database, or its replacement in a test. */
export interface Player {
  /** Sends all requests at once; returns the answers in the same order. */
  ask(asked: readonly Asked[]): Promise<readonly Reply[]>
  locks(plan: LockPlan): Promise<LockDone>
  histories(plan: HistoryPlan): Promise<readonly HistoryDone[]>
  moments(plan: MomentPlan): Promise<MomentsDone>
  /** Failures that no client got. */
  close(): Promise<readonly string[]>
}

/** A player in this process: a store with connections of its own. */
export async function localPlayer(place: BankPlace): Promise<Player> {
  const bank = await openBank(place)
  return {
    ask: (asked) => Promise.all(asked.map((each) => bank.ask(each))),
    locks: (plan) => playLocks(bank, plan),
    histories: (plan) => playHistories(bank, plan),
    moments: (plan) => playMoments(bank, plan),
    async close() {
      await bank.close()
      return bank.failures.map((each) => (each instanceof Error ? `${each.stack}` : String(each)))
    },
  }
}

/** A player in a process of its own, which runs `process.ts`. */
export async function childPlayer(place: BankPlace): Promise<Player> {
  const { tell, end } = await startChild(new URL('process.ts', import.meta.url), place)
  return {
    ask: (asked) => tell({ kind: 'ask', asked }),
    locks: (plan) => tell({ kind: 'locks', plan }),
    histories: (plan) => tell({ kind: 'histories', plan }),
    moments: (plan) => tell({ kind: 'moments', plan }),
    async close() {
      const failures = await tell<readonly string[]>({ kind: 'close' })
      await end()
      return failures
    },
  }
}
