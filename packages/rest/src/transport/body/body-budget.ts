import type { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'

/** Seconds that a body may take to arrive while others need its space. */
const MAX_SECONDS_UNDER_PRESSURE = 30
const RETRY_AFTER_SECONDS = 1

/** The share of one body in the budget, from its first byte until its request is answered. */
export class BodyHold {
  bytes = 0
  /** Refuses the body while it is arriving; null for a body that is complete. */
  refuse: ((error: EntiaError) => void) | null = null
  readonly since: number
  readonly #budget: BodyBudget
  isOver = false
  /** The holds that began before and after it and are not over. */
  before: BodyHold | null
  after: BodyHold | null = null

  constructor(budget: BodyBudget, since: number, before: BodyHold | null) {
    this.#budget = budget
    this.since = since
    this.before = before
  }

  /** Reserves bytes. Throws serverBusy if the budget is exhausted. */
  take(bytes: number): void {
    const budget = this.#budget
    // A refused body may still deliver bytes; its reader discards them.
    if (this.isOver) return
    this.bytes += bytes
    budget.total += bytes
    if (budget.total > budget.limit) budget.makeRoom(this)
  }
  /** Releases all reserved bytes. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    const budget = this.#budget
    budget.total -= this.bytes
    const { before, after } = this
    if (before === null) budget.oldest = after
    else before.after = after
    if (after === null) budget.newest = before
    else after.before = before
  }
}

/**
 * Bounds the bytes of all bodies that a handler holds at one time. If the next bytes exceed it, a
 * body that is still arriving is refused: the oldest one if it has been arriving for long, else the
 * largest. So slow or large uploads cannot block small requests.
 */
export class BodyBudget {
  /** Reserved bytes. */
  total = 0
  readonly limit: number
  /** The ends of the list of holds: a set would take longer than the rest of their work. */
  oldest: BodyHold | null = null
  newest: BodyHold | null = null
  /** Monotonic milliseconds. */
  readonly #now: () => number

  constructor(limit: number, now: () => number) {
    this.limit = limit
    this.#now = now
  }

  begin(): BodyHold {
    const { newest } = this
    const hold = new BodyHold(this, this.#now(), newest)
    if (newest === null) this.oldest = hold
    else newest.after = hold
    this.newest = hold
    return hold
  }

  /** Refuses arriving bodies until the others fit. Throws serverBusy if `hold` is to be refused. */
  makeRoom(hold: BodyHold): void {
    while (this.total > this.limit) {
      const other = this.#toRefuse()
      if (other === null || other === hold) throw this.#busy()
      other.end()
      other.refuse?.(this.#busy())
    }
  }

  /** The body to refuse; null if all bodies are complete. Cost: O(bodies). */
  #toRefuse(): BodyHold | null {
    let oldest: BodyHold | null = null
    let largest: BodyHold | null = null
    for (let hold = this.oldest; hold !== null; hold = hold.after) {
      if (hold.refuse === null) continue
      oldest ??= hold
      if (largest === null || hold.bytes > largest.bytes) largest = hold
    }
    const isOld = oldest !== null && this.#now() - oldest.since > MAX_SECONDS_UNDER_PRESSURE * 1000
    return isOld ? oldest : largest
  }

  #busy(): EntiaError {
    return restError('serverBusy', {
      what: 'more bytes of bodies at one time',
      limit: this.limit,
      option: 'limits.maxPendingBodyBytes',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
