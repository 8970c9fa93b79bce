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
/** Refused addresses that are remembered, and for how long (ms): answers may get shorter. */
const MAX_REFUSED = 1000
const REFUSED_FOR = 10_000

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
  /** Of the request, and of what the caller may see. */
  readonly address: string
  readonly #budget: AnswerBudget

  constructor(budget: AnswerBudget, address: string, isKept: boolean) {
    this.#budget = budget
    this.address = address
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
 * does not fit is refused, and the next request of the same address before it is read. A
 * connection that takes nothing is closed: after `maxStalledAnswerSeconds`, or after 10 seconds if
 * another answer needs its space.
 */
export class AnswerBudget {
  /** Reserved bytes. */
  total = 0
  readonly #limits: AnswerLimits
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly #every: Every
  readonly #holds = new Set<AnswerHold>()
  /** By address: at least so many bytes an answer had that was refused, and when. */
  readonly #refused = new Map<string, { readonly bytes: number; readonly at: number }>()
  #stopLooking: (() => void) | null = null

  constructor(limits: AnswerLimits, now: () => number, every: Every) {
    this.#limits = limits
    this.now = now
    this.#every = every
  }

  begin(address: string, isKept: boolean): AnswerHold {
    const hold = new AnswerHold(this, address, isKept)
    this.#holds.add(hold)
    return hold
  }

  /** True if answers were refused lately, so that `refuseKnown` may refuse others. */
  get hasRefused(): boolean {
    return this.#refused.size > 0
  }

  /**
   * Throws serverBusy for an address whose answer was refused lately and would not fit now: reading
   * it would be in vain.
   */
  refuseKnown(address: string): void {
    const known = this.#refused.get(address)
    if (known === undefined) return
    if (known.at < this.now() - REFUSED_FOR) this.#refused.delete(address)
    else if (!this.#makesRoomFor(known.bytes)) throw this.#busy()
  }

  take(hold: AnswerHold, bytes: number): void {
    if (!this.#holds.has(hold)) return
    hold.bytes += bytes
    this.total += bytes
    if (this.#makesRoomFor(0) || hold.isKept) return
    this.#remember(hold)
    this.end(hold)
    throw this.#busy()
  }

  /** True if so many more bytes fit, perhaps after slow connections were closed. */
  #makesRoomFor(bytes: number): boolean {
    const most = this.#limits.maxPendingAnswerBytes - bytes
    if (this.total > most) this.#closeOlderThan(this.#pressure)
    return this.total <= most
  }

  #remember({ address, bytes }: AnswerHold): void {
    // A new entry comes last: the first one is the oldest.
    this.#refused.delete(address)
    this.#refused.set(address, { bytes, at: this.now() })
    if (this.#refused.size <= MAX_REFUSED) return
    for (const oldest of this.#refused.keys()) {
      this.#refused.delete(oldest)
      return
    }
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
    this.#refused.clear()
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
