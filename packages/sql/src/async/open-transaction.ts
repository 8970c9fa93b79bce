import { AsyncLocalStorage } from 'node:async_hooks'
import { EntiaError } from '@entia/core'
import { CORE_ERRORS } from '@entia/core/kit'

/** A transaction whose body runs. */
interface OpenBody {
  /** Each store has an object of its own. */
  readonly store: object
  /** Code that the body started, such as a timer, may run longer than the body. */
  isOver: boolean
}
const running = new AsyncLocalStorage<OpenBody>()

/** Runs the body of a transaction of a store. */
export async function withinTransaction<R>(store: object, body: () => Promise<R>): Promise<R> {
  const open = { store, isOver: false }
  try {
    return await running.run(open, body)
  } finally {
    open.isOver = true
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
 * Refuses a call of a store inside the body of its own transaction, which holds its only
 * connection: the call would wait until the time of the transaction is over. Throws
 * `notInTransaction`.
 */
export function refuseWaiting(store: object): void {
  if (openStore() === store)
    throw refusal('A call of the store, whose only connection the transaction holds,', 'Use tx.')
}

const refusal = (operation: string, remedy: string): EntiaError =>
  new EntiaError('notInTransaction', { operation, remedy }, undefined, CORE_ERRORS.notInTransaction)
