import { EntiaError } from '@entia/core'
import { type RestHandler, type RestInput, type RestResponse, restError } from '@entia/rest'
import { createRandom } from '../factories/random.ts'
import { type Duration, toMilliseconds } from '../ports/duration.ts'

/** What goes wrong, and how often. */
export interface Fault {
  /** From 0, never, to 1, the default: for each request. */
  readonly rate?: number
  /** Requests it may befall; all by default. */
  readonly when?: (request: FaultRequest) => boolean
  /** Waits before anything else: a length of time, or between two. */
  readonly latency?: Duration | readonly [least: Duration, most: Duration]
  /**
   * What happens just before the request is carried out, for conflicts that are real: `() => store.Employee.update(7, { salary: 1 })`
   * makes the stamp stale that the request brings.
   */
  readonly before?: (request: FaultRequest) => void
  /** What is answered instead; nothing of the request is done. Without it the request goes on. */
  readonly failure?: Failure | EntiaError
}
/** `unavailable` is a failure of the server's own (500); `network` no answer at all: `fetch` rejects. */
export type Failure = 'unavailable' | 'tooManyRequests' | 'network'

export interface FaultRequest {
  readonly method: string
  readonly url: string
}

export interface FaultOptions {
  /** The same seed gives the same faults for the same requests. 1 by default. */
  readonly seed?: number
  readonly faults: readonly Fault[]
  /** For tests that do not want to wait. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** A handler for which requests fail and take their time: by `fetch`, by `handle` and by every bridge. Faults are decided in their order. */
export function withFaults(rest: RestHandler, { seed = 1, faults, sleep = wait }: FaultOptions): RestHandler {
  const random = createRandom(seed)
  /** What is answered instead, or null. Rejects for a network that fails. */
  const befall = async (request: FaultRequest): Promise<RestResponse | null> => {
    // Decided at once, in the order of the requests, whatever they wait for.
    const struck = faults.filter(
      ({ rate = 1, when }) => random.fraction() < rate && (when === undefined || when(request)),
    )
    const waits = struck.map(({ latency }) => (latency === undefined ? 0 : between(latency)))
    for (const milliseconds of waits) if (milliseconds > 0) await sleep(milliseconds)
    for (const { before } of struck) before?.(request)
    const failure = struck.find((fault) => fault.failure !== undefined)?.failure
    if (failure === undefined) return null
    if (failure === 'network') throw new TypeError('fetch failed')
    return rest.answerError(failure instanceof EntiaError ? failure : errorOf(failure))
  }
  const between = (latency: NonNullable<Fault['latency']>): number => {
    if (!Array.isArray(latency)) return toMilliseconds(latency as Duration)
    const [least, most] = (latency as readonly [Duration, Duration]).map(toMilliseconds) as [number, number]
    return random.integer(Math.round(least), Math.round(most))
  }
  return {
    ...rest,
    handle: async (input: RestInput) => (await befall(input)) ?? rest.handle(input),
    async fetch(request) {
      const answer = await befall(request)
      if (answer === null) return rest.fetch(request)
      return new Response(answer.body as ArrayBuffer | string, {
        status: answer.status,
        headers: { ...answer.headers },
      })
    },
  }
}

const errorOf = (failure: 'unavailable' | 'tooManyRequests'): EntiaError =>
  failure === 'unavailable'
    ? restError('internalError', { problem: 'A fault that was asked for.' })
    : restError('tooManyRequests', { retryAfterSeconds: 1 })

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
