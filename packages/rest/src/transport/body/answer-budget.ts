import type { EntiaError } from '@entia/core'
import type { Every } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'

/** Longer answers are sent in pieces of this many characters or bytes, and share the budget. */
export const PIECE = 65_536

/** Seconds without progress after which a connection gives way to other answers. */
const MAX_SECONDS_UNDER_PRESSURE = 10
const RETRY_AFTER_SECONDS = 1
/** Milliseconds between two looks at the connections. */
const LOOK_EVERY = 1000

interface AnswerLimits {
  readonly maxPendingAnswerBytes: number
  readonly maxStalledAnswerSeconds: number
}

/** The share of one answer in the budget, from its first rendered entity until it is sent. */
export class AnswerHold {
  bytes = 0
  /** Closes the connection; null while the answer is rendered. */
  close: (() => void) | null = null
  /** When the client last took a piece, in monotonic milliseconds. */
  takenAt = 0
  /** True for the answer to a change, which is never refused: the change is stored. */
  readonly isKept: boolean
  readonly #budget: AnswerBudget

  constructor(budget: AnswerBudget, isKept: boolean) {
    this.#budget = budget
    this.isKept = isKept
  }

  /** Reserves up to `bytes` in total. Throws serverBusy if the budget is exhausted. */
  grow(bytes: number): void {
    if (bytes > this.bytes) this.#budget.take(this, bytes - this.bytes)
  }
  /** From now on the client must take pieces; `close` ends its connection if it does not. */
  sentBy(close: () => void): void {
    this.#budget.send(this, close)
  }
  /** The client has taken a piece. */
  taken(): void {
    this.takenAt = this.#budget.now()
  }
  /** Releases all reserved bytes. */
  end(): void {
    this.#budget.end(this)
  }
}

/**
 * Bounds the bytes of all long answers that a handler renders or keeps for clients. An answer that
 * does not fit is refused. A connection that takes nothing is closed: after
 * `maxStalledAnswerSeconds`, or after 10 seconds if another answer needs its space.
 */
export class AnswerBudget {
  /** Reserved bytes. */
  total = 0
  readonly #limits: AnswerLimits
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly #every: Every
  readonly #holds = new Set<AnswerHold>()
  #stopLooking: (() => void) | null = null

  constructor(limits: AnswerLimits, now: () => number, every: Every) {
    this.#limits = limits
    this.now = now
    this.#every = every
  }

  begin(isKept: boolean): AnswerHold {
    const hold = new AnswerHold(this, isKept)
    this.#holds.add(hold)
    return hold
  }

  take(hold: AnswerHold, bytes: number): void {
    if (!this.#holds.has(hold)) return
    hold.bytes += bytes
    this.total += bytes
    if (this.total > this.#limits.maxPendingAnswerBytes) this.#closeOlderThan(this.#pressure)
    if (this.total <= this.#limits.maxPendingAnswerBytes || hold.isKept) return
    this.end(hold)
    throw this.#busy()
  }

  send(hold: AnswerHold, close: () => void): void {
    if (!this.#holds.has(hold)) return
    hold.close = close
    hold.takenAt = this.now()
    this.#stopLooking ??= this.#every(LOOK_EVERY, () =>
      this.#closeOlderThan(this.#limits.maxStalledAnswerSeconds),
    )
  }

  end(hold: AnswerHold): void {
    if (this.#holds.delete(hold)) this.total -= hold.bytes
    if (this.#holds.size > 0) return
    this.#stopLooking?.()
    this.#stopLooking = null
  }

  get #pressure(): number {
    return Math.min(MAX_SECONDS_UNDER_PRESSURE, this.#limits.maxStalledAnswerSeconds)
  }

  /** Closes the connections that have taken nothing for some seconds. Cost: O(long answers). */
  #closeOlderThan(seconds: number): void {
    const since = this.now() - seconds * 1000
    for (const hold of [...this.#holds]) {
      if (hold.close === null || hold.takenAt > since) continue
      this.end(hold)
      hold.close()
    }
  }

  #busy(): EntiaError {
    return restError('serverBusy', {
      what: 'more bytes of answers at one time',
      limit: this.#limits.maxPendingAnswerBytes,
      option: 'limits.maxPendingAnswerBytes',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}

/** The end of a piece, which never splits a surrogate pair. */
function endOfPiece(body: string | Uint8Array, from: number): number {
  const end = from + PIECE
  if (end >= body.length) return body.length
  const isHalf = typeof body === 'string' && (body.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isHalf ? end - 1 : end
}

/** What reports how an answer is sent. */
type Sending = Pick<AnswerHold, 'taken' | 'end'>

/** The pieces of a long body. Each is cut when the one before was taken. */
export function* piecesOf(
  body: string | Uint8Array,
  hold: Sending | undefined,
): Generator<string | Uint8Array, void, undefined> {
  try {
    for (let at = 0; at < body.length; ) {
      hold?.taken()
      const end = endOfPiece(body, at)
      yield typeof body === 'string' ? body.slice(at, end) : body.subarray(at, end)
      at = end
    }
  } finally {
    hold?.end()
  }
}
