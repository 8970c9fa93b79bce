import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type Asked, type BankPlace, openBank, type Told } from './bank.ts'
import { type HistoryDone, type HistoryPlan, playHistories } from './history-player.ts'
import { type LockDone, type LockPlan, playLocks } from './lock-player.ts'

/** What a process is told to do. */
export type Command =
  | { readonly kind: 'ask'; readonly asked: readonly Asked[] }
  | { readonly kind: 'locks'; readonly plan: LockPlan }
  | { readonly kind: 'histories'; readonly plan: HistoryPlan }

/** One of several processes over one database, or what stands for it in a test. */
export interface Player {
  /** Asks everything at once; the answers in the same order. */
  ask(asked: readonly Asked[]): Promise<readonly Told[]>
  locks(plan: LockPlan): Promise<LockDone>
  histories(plan: HistoryPlan): Promise<readonly HistoryDone[]>
  /** Failures of which no client was told. */
  close(): Promise<readonly string[]>
}

/** A player in this process: a store with connections of its own. */
export async function localPlayer(place: BankPlace): Promise<Player> {
  const bank = await openBank(place)
  return {
    ask: (asked) => Promise.all(asked.map((each) => bank.ask(each))),
    locks: (plan) => playLocks(bank, plan),
    histories: (plan) => playHistories(bank, plan),
    async close() {
      await bank.close()
      return bank.failures.map((each) => (each instanceof Error ? `${each.stack}` : String(each)))
    },
  }
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/** A player in a process of its own, which runs `process.ts`. */
export async function childPlayer(place: BankPlace): Promise<Player> {
  const child = fork(new URL('process.ts', import.meta.url), [JSON.stringify(place)])
  const open = new Map<number, (answer: Answer) => void>()
  let count = 0
  child.on('message', (answer: Answer) => {
    open.get(answer.id)?.(answer)
    open.delete(answer.id)
  })
  child.on('exit', (code) => {
    for (const [id, settle] of open) settle({ id, error: `The process ended with ${code}.` })
  })
  const tell = async <T>(command: Command | { readonly kind: 'close' }): Promise<T> => {
    const id = count++
    const answer = await new Promise<Answer>((resolve) => {
      open.set(id, resolve)
      child.send({ id, command })
    })
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.value as T
  }
  await started(child)
  return {
    ask: (asked) => tell({ kind: 'ask', asked }),
    locks: (plan) => tell({ kind: 'locks', plan }),
    histories: (plan) => tell({ kind: 'histories', plan }),
    async close() {
      const failures = await tell<readonly string[]>({ kind: 'close' })
      child.disconnect()
      await once(child, 'exit')
      return failures
    },
  }
}

async function started(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process ended with ${code} before it began.`)
  })
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
}
