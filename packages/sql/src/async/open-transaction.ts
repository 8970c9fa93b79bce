import { AsyncLocalStorage } from 'node:async_hooks'
import { EntiaError } from '@entia/core'
import { CORE_ERRORS } from '@entia/core/internal'

/** A transaction whose body runs. */
interface OpenBody {
  /** Each store has an object of its own. */
  readonly store: object
  /** Code that the body started, such as a timer, may run longer than the body. */
  isOver: boolean
}
const running = new AsyncLocalStorage<OpenBody>()
/** How many bodies run at the moment, by store. Each keeps a connection. */
const counts = new WeakMap<object, number>()

/** Runs the body of a transaction of a store. */
export async function withinTransaction<R>(store: object, body: () => Promise<R>): Promise<R> {
  const open = { store, isOver: false }
  counts.set(store, (counts.get(store) ?? 0) + 1)
  try {
    return await running.run(open, body)
  } finally {
    open.isOver = true
    counts.set(store, counts.get(store)! - 1)
  }
}

/** The store of the open transaction in which the code runs. */
function openStore(): object | null {
  const open = running.getStore()
  return open === undefined || open.isOver ? null : open.store
}

/** Refuses a transaction inside another one. Throws `notInTransaction`. */
export function refuseNested(): void {
  if (openStore() !== null) throw refusal('transact', 'Use the tx of the open transaction.')
}

/**
 * Refuses a call of a store inside the body of one of its transactions while such bodies hold all
 * `connections` of its pool: the calls would wait for each other until the time of a transaction is
 * over. Throws `notInTransaction`.
 */
export function refuseWaiting(store: object, connections: number): void {
  if (openStore() !== store || (counts.get(store) ?? 0) < connections) return
  const [operation, remedy] =
    connections === 1
      ? ['A call of the store, whose only connection the transaction holds,', 'Use tx.']
      : [
          `A call of the store, whose ${connections} connections are all held by transactions,`,
          'Use tx, or raise "max" of the pool.',
        ]
  throw refusal(operation!, remedy!)
}

const refusal = (operation: string, remedy: string): EntiaError =>
  new EntiaError('notInTransaction', { operation, remedy }, undefined, CORE_ERRORS.notInTransaction)
