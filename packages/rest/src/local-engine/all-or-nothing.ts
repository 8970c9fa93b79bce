import { type AnyDataStore, type EntiaError, isEntiaError } from '@entia/core'

/** Thrown inside a transaction to undo it; it never leaves this file. */
const UNDO = Symbol('undo')

/**
 * Runs a batch in one transaction, which is undone unless `body` answers true. An EntiaError is the refusal of the batch as a
 * whole, at its end; what is no EntiaError is thrown on.
 */
export function allOrNothing(store: AnyDataStore, body: () => boolean): 'stored' | 'undone' | EntiaError {
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
