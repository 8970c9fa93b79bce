import { EntiaError } from '@entia/core'
import { checkNames, describeFound, refused } from '@entia/core/internal'
import { type RestHandler, type RestInput, type RestResponse, restError } from '@entia/rest'
import { checkHandler } from '@entia/rest/internal'
import { createRandom } from '../factories/random.ts'
import { type Duration, toMilliseconds } from '../ports/duration.ts'

/** A fault and its probability. */
export interface Fault {
  /** The probability per request, from 0 to 1; 1 by default. */
  readonly rate?: number
  /** The requests that the fault applies to; all by default. */
  readonly when?: (request: FaultRequest) => boolean
  /** A delay before the request: a duration, or a range of durations. */
  readonly latency?: Duration | readonly [least: Duration, most: Duration]
  /**
   * Runs just before the request, to cause a real conflict:
   * `() => store.Employee.update(7, { salary: 1 })` makes the stamp of the request stale.
   */
  readonly before?: (request: FaultRequest) => void
  /**
   * The reply instead of the request, which is not executed. Without it the request is executed.
   */
  readonly failure?: Failure | EntiaError
}
const FAILURES = ['unavailable', 'tooManyRequests', 'network'] as const
/** `unavailable` is a server error (500); for `network` there is no reply and `fetch` rejects. */
export type Failure = (typeof FAILURES)[number]

export interface FaultRequest {
  readonly method: string
  readonly url: string
}

export interface FaultOptions {
  /** The same seed repeats the faults for the same requests. 1 by default. */
  readonly seed?: number
  readonly faults: readonly Fault[]
  /** Replaces the delay, for tests that must not wait. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/**
 * A handler with injected faults and delays, for `fetch`, `handle` and every bridge. A seed makes
 * the faults reproducible.
 *
 * @example
 * ```ts
 * const faults = [{ rate: 1, failure: 'unavailable' }] as const
 * const slow = withFaults(createRestHandler(store), { seed: 7, faults })
 * const reply = await slow.fetch(new Request('http://localhost/rest/Employee'))
 * reply.status // → 500
 * ```
 */
export function withFaults(rest: RestHandler, options: FaultOptions): RestHandler {
  checkHandler(rest)
  checkNames(options, ['seed', 'faults', 'sleep'])
  const { seed = 1, faults, sleep = wait } = options
  if (!Array.isArray(faults))
    throw refused('The option faults', 'an array of faults', describeFound(faults))
  for (const fault of faults) checkFault(fault)
  const random = createRandom(seed)
  /** The reply instead of the request, or null. Rejects for a network failure. */
  const injectFaults = async (request: FaultRequest): Promise<RestResponse | null> => {
    // Decide immediately, in the order of the requests, so that delays do not change the outcome.
    const drawn = faults.filter(
      ({ rate = 1, when }) => random.fraction() < rate && (when === undefined || when(request)),
    )
    const waits = drawn.map(({ latency }) => (latency === undefined ? 0 : between(latency)))
    for (const milliseconds of waits) if (milliseconds > 0) await sleep(milliseconds)
    for (const { before } of drawn) before?.(request)
    const failure = drawn.find((fault) => fault.failure !== undefined)?.failure
    if (failure === undefined) return null
    if (failure === 'network') throw new TypeError('fetch failed')
    return rest.answerError(failure instanceof EntiaError ? failure : errorOf(failure))
  }
  const between = (latency: NonNullable<Fault['latency']>): number => {
    if (!Array.isArray(latency)) return toMilliseconds(latency as Duration)
    const [least, most] = (latency as readonly [Duration, Duration]).map(toMilliseconds) as [
      number,
      number,
    ]
    return random.integer(Math.round(least), Math.round(most))
  }
  return {
    ...rest,
    handle: async (input: RestInput) => (await injectFaults(input)) ?? rest.handle(input),
    async fetch(request) {
      const answer = await injectFaults(request)
      if (answer === null) return rest.fetch(request)
      return new Response(answer.body as ArrayBuffer | string, {
        status: answer.status,
        headers: { ...answer.headers },
      })
    },
  }
}

/** Refuses what would silently be no fault, or another one. */
function checkFault(fault: Fault): void {
  checkNames(fault, ['rate', 'when', 'latency', 'before', 'failure'])
  const { rate = 1, latency = 0, failure = 'network' } = fault
  if (!(rate >= 0 && rate <= 1))
    throw refused('The rate of a fault', 'a number from 0 to 1', describeFound(rate))
  for (const each of [latency].flat()) toMilliseconds(each)
  if (!(failure instanceof EntiaError) && !FAILURES.includes(failure))
    throw refused(
      'The failure',
      `an EntiaError or one of ${FAILURES.join(', ')}`,
      describeFound(failure),
    )
}

const errorOf = (failure: Exclude<Failure, 'network'>): EntiaError =>
  failure === 'unavailable'
    ? restError('internalError', { problem: 'An injected fault.' })
    : restError('tooManyRequests', { retryAfterSeconds: 1 })

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
