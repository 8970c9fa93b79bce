import type { BatchCall, BatchRefusal } from '@entia/core/internal'
import type { Conflict } from './conflict.ts'

// Each caller learns the outcome of its batch once, also if another batch has taken its place.

/** What became of a transaction. */
export type Outcome =
  | {
      readonly kind: 'applied'
      readonly globalStamp: number
      /** What a function has returned: a JSON value. */
      readonly result?: unknown
    }
  | { readonly kind: 'problem'; readonly problem: Problem }

/**
 * A transaction or a call that the server has refused. The store shows the server's values instead.
 */
export interface Problem {
  readonly number: number
  /** The function that was to be called; a transaction has none. */
  readonly call?: BatchCall
  /** Values that somebody else has changed too. Empty for another reason. */
  readonly conflicts: readonly Conflict[]
  /** The errors of the server, the outermost first. */
  readonly errors: BatchRefusal['errors']
}

type Tell = (outcome: Outcome) => void

/** The callers that wait for the outcomes of batches, by their numbers. */
export class Outcomes {
  readonly #callers = new Map<number, Tell>()

  get numbers(): readonly number[] {
    return [...this.#callers.keys()]
  }
  /** Settles with the outcome of a batch. */
  of(number: number): Promise<Outcome> {
    return new Promise((resolve) => this.#callers.set(number, resolve))
  }
  tell(number: number, outcome: Outcome): void {
    this.take(number)?.(outcome)
  }
  /** Takes out the caller that waits for a batch. */
  take(number: number): Tell | undefined {
    const caller = this.#callers.get(number)
    this.#callers.delete(number)
    return caller
  }
  /** The caller waits for another batch in the place of its own. */
  move(number: number, next: number): void {
    const caller = this.take(number)
    if (caller !== undefined) this.#callers.set(next, caller)
  }
}
