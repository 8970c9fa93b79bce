import { type EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { type Awaitable, type Engine, type HandlerHost, Histogram, isPromise } from '@entia/engine'
import type { ServedMetrics } from '../../endpoints/permission/privileges.ts'
import { type RequestFigures, renderMetrics, type StreamFigures } from '../../render/metrics.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestInput } from '../input/rest-input.ts'
import type { RestOptions } from './rest-options.ts'

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

type Answering = (input: RestInput) => Awaitable<RestResponse>

/** The metrics of a handler, as its options require. */
export class HandlerMetrics {
  /** Null if `$metrics` is not served. */
  readonly served: ServedMetrics | null
  readonly #engine: Engine
  readonly #monotonic: () => number
  readonly #countsRequests: boolean
  readonly #streams: () => StreamFigures
  /** Counts by position of method and status. */
  readonly #answers = new Float64Array((METHODS.length + 1) * STATUSES.length)
  readonly #durations = new Histogram()
  readonly #refused = new Map<ErrorCode, number>()
  #inFlight = 0

  constructor(
    engine: Engine,
    { monotonic }: HandlerHost,
    rule: RestOptions['metrics'] = false,
    streams: () => StreamFigures,
  ) {
    this.#engine = engine
    this.#monotonic = monotonic
    this.#streams = streams
    this.#countsRequests = rule !== false
    this.served = typeof rule === 'function' ? { rule, text: () => this.text() } : null
  }

  async text(): Promise<string> {
    const engine = await this.#engine.metrics()
    return renderMetrics(engine, this.#streams(), this.#countsRequests ? this.#figures : null)
  }

  /** The same handler, counted if its options require it. Cost: two clock readings. */
  counting(answer: Answering): Answering {
    if (!this.#countsRequests) return answer
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

  get #figures(): RequestFigures {
    return {
      answers: [...METHODS, 'other'].flatMap((method, at) =>
        STATUSES.map((status, of) => ({
          method,
          status,
          count: this.#answers[at * STATUSES.length + of]!,
        })).filter(({ count }) => count > 0),
      ),
      durations: this.#durations.samples(),
      inFlight: this.#inFlight,
      refused: LIMITS.map((code) => ({ code, count: this.#refused.get(code) ?? 0 })),
    }
  }

  #count({ method }: RestInput, status: number, milliseconds: number): void {
    const known = METHODS.indexOf(String(method).toUpperCase())
    const row = known < 0 ? METHODS.length : known
    const digit = Math.min(Math.max(Math.floor(status / 100), 1), STATUSES.length)
    this.#answers[row * STATUSES.length + digit - 1]!++
    this.#durations.observe(milliseconds)
  }
}

/** The code of an exceeded limit anywhere in the chain of causes; null if there is none. */
function limitOf(error: EntiaError): ErrorCode | null {
  if (LIMITS.includes(error.code)) return error.code
  return isEntiaError(error.cause) ? limitOf(error.cause) : null
}
