import { type EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { type Awaitable, isPromise } from '../../engine/awaitable.ts'
import type { RequestFigures } from '../../render/metrics.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestInput } from '../input/rest-input.ts'

/** Upper bounds of the duration buckets, in seconds. */
const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** Other methods are counted together, since clients can send any. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const STATUSES: readonly string[] = ['1xx', '2xx', '3xx', '4xx', '5xx']

/** Errors that report an exceeded limit. */
const LIMITS: readonly ErrorCode[] = [
  'budgetExceeded',
  'bodyTooLarge',
  'urlTooLong',
  'filterTooLarge',
  'tooManyRequests',
  'tooManySessions',
  'requestTimeout',
]

/** Counts the requests of a handler. */
export class RequestMetrics {
  readonly #monotonic: () => number
  /** Counts by position of method and status. */
  readonly #answers = new Float64Array((METHODS.length + 1) * STATUSES.length)
  /** The last bucket counts durations beyond every bound. */
  readonly #durations = new Float64Array(BOUNDS.length + 1)
  readonly #refused = new Map<ErrorCode, number>()
  #milliseconds = 0
  #inFlight = 0

  /** `monotonic`: milliseconds that never decrease. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** The same handler, counted. Cost: two clock readings. */
  counting(
    answer: (input: RestInput) => Awaitable<RestResponse>,
  ): (input: RestInput) => Awaitable<RestResponse> {
    return (input) => {
      const from = this.#monotonic()
      this.#inFlight++
      const done = (response: RestResponse): RestResponse => {
        this.#inFlight--
        this.#count(input, response.status, this.#monotonic() - from)
        return response
      }
      const response = answer(input)
      return isPromise(response) ? response.then(done) : done(response)
    }
  }

  /** Counts a refused request. */
  refused(error: EntiaError): void {
    const code = limitOf(error)
    if (code !== null) this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1)
  }

  get figures(): RequestFigures {
    let soFar = 0
    return {
      answers: [...METHODS, 'other'].flatMap((method, at) =>
        STATUSES.map((status, of) => ({
          method,
          status,
          count: this.#answers[at * STATUSES.length + of]!,
        })).filter(({ count }) => count > 0),
      ),
      durations: BOUNDS.map((seconds, at) => {
        soFar += this.#durations[at]!
        return { seconds, count: soFar }
      }),
      totalSeconds: this.#milliseconds / 1000,
      inFlight: this.#inFlight,
      refused: LIMITS.map((code) => ({ code, count: this.#refused.get(code) ?? 0 })),
    }
  }

  #count({ method }: RestInput, status: number, milliseconds: number): void {
    const known = METHODS.indexOf(String(method).toUpperCase())
    const row = known < 0 ? METHODS.length : known
    const digit = Math.min(Math.max(Math.floor(status / 100), 1), STATUSES.length)
    this.#answers[row * STATUSES.length + digit - 1]!++
    let at = 0
    while (at < BOUNDS.length && milliseconds > BOUNDS[at]! * 1000) at++
    this.#durations[at]!++
    this.#milliseconds += milliseconds
  }
}

/** The code of an exceeded limit anywhere in the chain of causes; null if there is none. */
function limitOf(error: EntiaError): ErrorCode | null {
  if (LIMITS.includes(error.code)) return error.code
  return isEntiaError(error.cause) ? limitOf(error.cause) : null
}
