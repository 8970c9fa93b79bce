import { encodeCommit } from '../dump/journal-record.ts'
import { joined } from '../dump/line-writer.ts'
import type { StoreCore } from '../model/store-types.ts'
import type { Writer } from '../write/writer.ts'

/** A transaction that ran and was rolled back. */
export interface Proposal<R> {
  readonly result: R
  /** The bytes of the commit, with the name of the proposal; null if nothing changed. */
  readonly commit: Uint8Array | null
}

/**
 * Runs a transaction with all its checks and hooks, and rolls it back where it would commit. No
 * listener sees it. Throws what the transaction throws, and `notInTransaction` inside another one.
 */
export function propose<T, R>(
  store: StoreCore<T>,
  writer: Writer,
  name: string,
  body: (tx: T) => R extends PromiseLike<unknown> ? never : R,
): Proposal<R> {
  writer.outside('journal.transact')
  const refuse = writer.beforeCommit
  const rolledBack = new Error('the transaction is proposed to another tab')
  let result: R | undefined
  let commit: Uint8Array | null = null
  writer.beforeCommit = () => {
    const { changes = [], sequences = [] } = writer.current?.applied ?? {}
    const globalStamp = writer.globalStamp + 1
    const timestamp = writer.context.now()
    commit = joined(encodeCommit({ globalStamp, timestamp, changes, sequences }, name))
    throw rolledBack
  }
  try {
    store.transact((tx) => {
      const given = body(tx)
      result = given
      return given
    })
  } catch (error) {
    if (error !== rolledBack) throw error
  } finally {
    writer.beforeCommit = refuse
  }
  return { result: result as R, commit }
}
