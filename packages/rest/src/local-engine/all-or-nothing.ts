import { type AnyDataStore, type EntiaError, isEntiaError } from '@entia/core'

/** Thrown inside a transaction to roll it back. It never leaves this file. */
const UNDO = Symbol('undo')

/**
 * Runs a batch in one transaction, which is rolled back unless `body` returns true. Returns an
 * EntiaError if the commit refuses the batch as a whole. Other errors are thrown.
 */
export function allOrNothing(
  store: AnyDataStore,
  body: () => boolean,
): 'stored' | 'undone' | EntiaError {
  try {
    store.transact(() => {
      if (!body()) throw UNDO
    })
    return 'stored'
  } catch (error) {
    if (error === UNDO) return 'undone'
    if (isEntiaError(error)) return error
    throw error
  }
}
