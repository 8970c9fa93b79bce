import { isEntiaError } from '@entia/core'
import {
  type Awaitable,
  type Engine,
  isPromise,
  type MetricFamily,
  type RequestTally,
} from '@entia/engine'
import { type IndexAdvice, indexAdvice } from './index-advice.ts'
import { type Observed, type Operation, observedEngine, UNKNOWN } from './observed-engine.ts'
import {
  planLines,
  readsEverything,
  ShapeStatistics,
  shapeOf,
  shortened,
  withoutValues,
} from './shapes.ts'

/** A request of the engine that took long. It contains no values of filters. */
export interface SlowRequest {
  readonly operation: Operation
  /** The dataclass; of a function, its name. */
  readonly name: string
  /** The filter with `?` in place of its values; null without one. */
  readonly filter: string | null
  /** At most 200 characters. */
  readonly orderBy: string | null
  readonly milliseconds: number
  /** Entities that the filter selects; null for requests other than pages. */
  readonly found: number | null
  /** Entities that were answered, saved or deleted; null if that is not known. */
  readonly shown: number | null
  /** Over a database: its round trips, their time, and the time until there was a connection. */
  readonly database: {
    readonly roundTrips: number
    readonly milliseconds: number
    readonly waitMilliseconds: number
  } | null
  /** How the engine would find the selection now, a line for each operator; null if unknown. */
  readonly plan: readonly string[] | null
  /** The code of the error that it ended in; null for an answer. */
  readonly error: string | null
  /** Slow requests since the last report that were not reported. */
  readonly omitted: number
}

export interface SlowOptions {
  /** A request that takes this long is slow. */
  readonly milliseconds: number
  /**
   * Called with a slow request, at most once per second: the others are counted. The plan is asked
   * for after the answer.
   */
  readonly report?: (request: SlowRequest) => void
}

/**
 * A slow request as lines for a log.
 *
 * @example
 * ```ts
 * import type { SlowRequest } from '@entia/rest'
 * const report = (request: SlowRequest) => console.log(slowText(request))
 * const logged = createRestHandler(store, { slow: { milliseconds: 100, report } })
 * ```
 */
export function slowText(request: SlowRequest): string {
  const { operation, name, filter, orderBy, milliseconds, found, shown, database } = request
  const facts = [
    `${Math.round(milliseconds)} ms`,
    ...(shown === null ? [] : [`${shown} entities${found === null ? '' : ` of ${found}`}`]),
    ...(database === null
      ? []
      : [
          `${database.roundTrips} round trips of ${Math.round(database.milliseconds)} ms`,
          `${Math.round(database.waitMilliseconds)} ms waiting for connections`,
        ]),
    ...(request.error === null ? [] : [`error ${request.error}`]),
    ...(request.omitted === 0 ? [] : [`${request.omitted} more slow requests before`]),
  ]
  return [
    `Slow ${operation} of ${name}: ${facts.join(', ')}`,
    ...(filter === null ? [] : [`  filter ${filter}`]),
    ...(orderBy === null ? [] : [`  order by ${orderBy}`]),
    ...(request.plan ?? []).map((line) => `  ${line}`),
  ].join('\n')
}

/** The advice where operators see it: next to the other metrics. */
const adviceMetric = (advice: readonly IndexAdvice[]): MetricFamily => ({
  name: 'entia_missing_index_seconds',
  type: 'gauge',
  help: 'Time of slow reads that an index of the attribute would have answered.',
  samples: advice.map(({ dataClass, attribute, milliseconds }) => ({
    labels: { dataclass: dataClass, attribute },
    value: milliseconds / 1000,
  })),
})

/** Reports of one process per time. */
const INTERVAL = 1000

/** Observes the calls of an engine, and reports those that take long. */
export class SlowRequests {
  /** The engine, observed. Cost of a call: two clock readings and a closure. */
  readonly engine: Engine
  readonly #inner: Engine
  readonly #options: SlowOptions
  readonly #monotonic: () => number
  readonly #onError: (error: unknown) => void
  readonly #shapes = new ShapeStatistics()
  #reportedAt = Number.NEGATIVE_INFINITY
  #isReporting = false
  #omitted = 0

  constructor(
    engine: Engine,
    options: SlowOptions,
    monotonic: () => number,
    onError: (error: unknown) => void,
  ) {
    this.#inner = engine
    this.#options = options
    this.#monotonic = monotonic
    this.#onError = onError
    this.engine = this.#observing(engine)
  }

  /** Indexes that the slow reads of this process would have used, and that it does not have yet. */
  get advice(): readonly IndexAdvice[] {
    const { catalog, operating } = this.#inner
    const advice = indexAdvice(catalog, this.#shapes.shapes)
    // Elsewhere, only a migration adds indexes, and the process starts again.
    const sizes = advice.length === 0 || operating.createIndex === null ? [] : operating.sizes()
    if (isPromise(sizes)) return advice
    const mayHave = new Map(sizes.map(({ dataClass, attributes }) => [dataClass, attributes]))
    return advice.filter(({ dataClass, attribute }) => {
      const known = mayHave.get(dataClass)?.find(({ name }) => name === attribute)
      return known === undefined || known.proposal !== null
    })
  }

  #observing(engine: Engine): Engine {
    return Object.create(
      observedEngine(engine, (observed, call) => this.#timed(observed, call)),
      {
        metrics: {
          value: async () => [...(await engine.metrics()), adviceMetric(this.advice)],
        },
      },
    ) as Engine
  }

  #timed<R>(observed: Observed<R>, call: () => Awaitable<R>): Awaitable<R> {
    const { tallying } = this.#inner.observation
    const tally =
      tallying === null ? null : { roundTrips: 0, databaseMilliseconds: 0, waitMilliseconds: 0 }
    const from = this.#monotonic()
    const failed = (error: unknown): never => {
      this.#ended(observed, from, tally, UNKNOWN, isEntiaError(error) ? error.code : 'internal')
      throw error
    }
    const done = (answer: R): R => {
      this.#ended(observed, from, tally, answer, null)
      return answer
    }
    let answer: Awaitable<R>
    try {
      answer = tally === null ? call() : tallying!(tally, call)
    } catch (error) {
      return failed(error)
    }
    return isPromise(answer) ? answer.then(done, failed) : done(answer)
  }

  #ended<R>(
    observed: Observed<R>,
    from: number,
    tally: RequestTally | null,
    answer: R | typeof UNKNOWN,
    error: string | null,
  ): void {
    const milliseconds = this.#monotonic() - from
    if (milliseconds < this.#options.milliseconds) return
    try {
      const counts = error === null ? observed.entities(answer as R) : UNKNOWN
      void this.#note(observed, milliseconds, tally, counts, error)
    } catch (failure) {
      this.#onError(failure)
    }
  }

  /** Never rejects: the request has been answered. */
  async #note(
    { operation, name, caller, query }: Observed<never>,
    milliseconds: number,
    tally: RequestTally | null,
    counts: Pick<SlowRequest, 'found' | 'shown'>,
    error: string | null,
  ): Promise<void> {
    try {
      const { observation } = this.#inner
      const found = query === null ? null : observation.conditionOf(query, caller)
      const condition = found && withoutValues(found)
      const filter = condition === null ? null : shapeOf(condition)
      const orderBy = query?.orderBy == null ? null : shortened(query.orderBy)
      const shape = { dataClass: name(), condition, filter, orderBy }
      const isSelection = query !== null && query.source.kind !== 'entitySet'
      const key = isSelection ? this.#shapes.add(shape, milliseconds, counts.found) : null
      const now = this.#monotonic()
      if (this.#isReporting || now - this.#reportedAt < INTERVAL) {
        this.#omitted++
        return
      }
      this.#reportedAt = now
      this.#isReporting = true
      const omitted = this.#omitted
      this.#omitted = 0
      try {
        // A database that is away has no plan.
        const plan =
          key === null ? null : await observation.planOf(query!, caller).catch(() => null)
        if (plan !== null)
          this.#shapes.planned(key!, {
            entities: plan.entities,
            readsEverything: readsEverything(plan.root),
          })
        this.#options.report?.({
          operation,
          name: name(),
          filter,
          orderBy,
          milliseconds,
          ...counts,
          database: tally && {
            roundTrips: tally.roundTrips,
            milliseconds: tally.databaseMilliseconds,
            waitMilliseconds: tally.waitMilliseconds,
          },
          plan: plan && planLines(plan.root),
          error,
          omitted,
        })
      } finally {
        this.#isReporting = false
      }
    } catch (failure) {
      this.#onError(failure)
    }
  }
}
