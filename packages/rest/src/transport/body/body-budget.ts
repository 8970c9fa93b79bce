import type { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'

/** Seconds that a body may take to arrive while others need its room. */
const MAX_SECONDS_UNDER_PRESSURE = 30
const RETRY_AFTER_SECONDS = 1

/** What one body holds of the budget, from its first byte until its request is answered. */
export class BodyHold {
  bytes = 0
  /** How to refuse the body while it is arriving; null for one that is there as a whole. */
  refuse: ((error: EntiaError) => void) | null = null
  readonly since: number
  readonly #budget: BodyBudget

  constructor(budget: BodyBudget, since: number) {
    this.#budget = budget
    this.since = since
  }

  /** Counts bytes that are kept from now on. Throws serverBusy where there is no room for them. */
  take(bytes: number): void {
    this.#budget.take(this, bytes)
  }
  /** Gives back what it holds. */
  end(): void {
    this.#budget.end(this)
  }
}

/**
 * A bound for the bytes of all bodies that a handler keeps at one time. Where the next bytes have no room, a body that is still arriving is refused:
 * the oldest, if it has been arriving for long, else the largest. So a client that sends slowly, or much, cannot keep small requests out.
 */
export class BodyBudget {
  /** Bytes that are kept. */
  total = 0
  readonly #limit: number
  /** Milliseconds that never go back. */
  readonly #now: () => number
  readonly #holds = new Set<BodyHold>()

  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  begin(): BodyHold {
    const hold = new BodyHold(this, this.#now())
    this.#holds.add(hold)
    return hold
  }

  take(hold: BodyHold, bytes: number): void {
    // It was refused already: what still comes of it is dropped by its reader.
    if (!this.#holds.has(hold)) return
    hold.bytes += bytes
    this.total += bytes
    while (this.total > this.#limit) {
      const other = this.#toRefuse()
      if (other === null || other === hold) throw this.#busy()
      this.end(other)
      other.refuse?.(this.#busy())
    }
  }

  end(hold: BodyHold): void {
    if (this.#holds.delete(hold)) this.total -= hold.bytes
  }

  /** Null where every body is there as a whole. Cost: O(bodies). */
  #toRefuse(): BodyHold | null {
    let oldest: BodyHold | null = null
    let largest: BodyHold | null = null
    for (const hold of this.#holds) {
      if (hold.refuse === null) continue
      // They are in the order in which they began.
      oldest ??= hold
      if (largest === null || hold.bytes > largest.bytes) largest = hold
    }
    const isOld = oldest !== null && this.#now() - oldest.since > MAX_SECONDS_UNDER_PRESSURE * 1000
    return isOld ? oldest : largest
  }

  #busy(): EntiaError {
    return restError('serverBusy', {
      what: 'more bytes of bodies at one time',
      limit: this.#limit,
      option: 'limits.maxPendingBodyBytes',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
