import type { Awaitable } from '../../engine/awaitable.ts'
import type { Engine } from '../../engine/engine.ts'
import { DEFAULT_HOST, type HandlerHost } from '../../engine/host.ts'
import { Names } from '../../engine/names.ts'
import { restError } from '../../errors/rest-error.ts'
import { directoryOf } from '../../handle/context/users.ts'
import { publicError } from '../../render/error-stack.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { type Limits, limitsOf } from '../../request/limits.ts'
import type { IndexAdvice } from '../../slow/index-advice.ts'
import { SlowRequests } from '../../slow/slow-requests.ts'
import { AnswerBudget } from '../body/answer-budget.ts'
import { BodyBudget } from '../body/body-budget.ts'
import { problemOf, type RestInput } from '../input/rest-input.ts'
import { isWithin } from '../input/within.ts'
import { Durability } from '../live/durability.ts'
import { LiveStreams } from '../live/live-streams.ts'
import { openApiBelow, RoutedInput, routeOf } from './catalogs.ts'
import { checkOptions } from './check-options.ts'
import { type ClientErrorHandler, createClientErrorHandler } from './client-error.ts'
import { Exchange } from './exchange.ts'
import { Failures } from './failures.ts'
import { answerFetch } from './fetch.ts'
import { HandlerMetrics } from './handler-metrics.ts'
import type { HandlerState } from './handler-state.ts'
import { MountPoints } from './mount-points.ts'
import { plainServiceOf } from './plain-service.ts'
import type { RestOptions } from './rest-options.ts'

/** Executes a request. The promise never rejects. */
export interface Handle {
  (input: RestInput): Promise<RestResponse>
  /**
   * For bridges: the same, without a promise if nothing has to be awaited. It is a property of the
   * function, so that a wrapper that a host puts around `handle` is not bypassed.
   */
  readonly atOnce?: (input: RestInput) => Awaitable<RestResponse>
}

/** Executes a web request. The promise never rejects. */
export interface Fetch {
  (request: Request): Promise<Response>
  /** `context` is for `identify` and `authorize`; the request itself by default. */
  (request: Request, given: { readonly context: unknown }): Promise<Response>
}

/** The whole interface, for any host. Failures become answers; promises never reject. */
export interface RestHandler {
  readonly handle: Handle
  readonly fetch: Fetch
  /**
   * For `server.on('clientError', …)` of node:http: answers requests that cannot be parsed in JSON,
   * too.
   */
  readonly onClientError: ClientErrorHandler
  /** For bridges: the answer to a failure outside of `handle`. `onError` is notified as usual. */
  answerError(error: unknown): RestResponse
  /** Ends every stream of `$live=true`. Call it before the server closes. */
  endStreams(): void
  /**
   * From now on `$health/ready` answers 503, so that proxies send requests to other processes. All
   * requests are still answered. Call it some seconds before the server closes.
   */
  prepareToStop(): void
  /**
   * The metrics of the store and, with the option `metrics`, of the handler, in Prometheus' text
   * format.
   */
  metrics(): Promise<string>
  /**
   * Indexes of the model that the slow reads of this process would have used. Empty without the
   * option `slow`.
   */
  advice(): readonly IndexAdvice[]
  readonly basePath: string
  /**
   * For bridges: the addresses of the plain interface, a base path and the first segments below it.
   * Null if it is not served.
   */
  readonly plain: { readonly basePath: string; readonly segments: readonly string[] } | null
  readonly limits: Limits
}

/** What a handler is made of besides its engine and its options. */
export interface HandlerParts {
  /** In place of members of the default host. */
  readonly host?: Partial<HandlerHost>
  /** The engines of additional stores, by name. */
  readonly further?: ReadonlyMap<string, Engine>
  readonly shared?: Shared
}

/** Serves any engine. */
export function createHandlerOf(
  served: Engine,
  options: RestOptions<unknown, object> = {},
  { host: given, further = new Map(), shared }: HandlerParts = {},
): RestHandler {
  checkOptions(options)
  const { catalog } = served
  const host = { ...DEFAULT_HOST, ...given }
  const slow =
    options.slow === undefined
      ? null
      : new SlowRequests(served, options.slow, host.monotonic, (error) => failures.notify(error))
  const engine = slow === null ? served : slow.engine
  const limits = limitsOf(options.limits)
  const { durable } = options
  const plain = plainServiceOf(options, catalog, limits)
  const durability = durable === undefined ? null : new Durability(durable, engine.lastCommit)
  const bodies = shared?.bodies ?? new BodyBudget(limits.maxPendingBodyBytes, host.monotonic)
  const answers = shared?.answers ?? new AnswerBudget(limits, host.monotonic, host.every)
  const metrics = new HandlerMetrics(engine, host, options.metrics)
  const failures = new Failures(options.onError, metrics)
  const streams = new LiveStreams(engine, host, options.live, durability, (error) =>
    failures.report([publicError(error)]),
  )
  const mountPoints = new MountPoints(
    options,
    limits,
    shared?.cookieName ?? catalog.name,
    plain,
    shared?.cookieBase,
  )
  const catalogs = new Map([...further].map(([name, { catalog }]) => [name, catalog]))
  const handlers = new Map(
    [...further].map(([name, inner]) => {
      const own = {
        ...options,
        plain: false,
        ...openApiBelow(options.openapi, plain === null ? '' : mountPoints.basePath, name),
        basePath: `${mountPoints.basePath}/${name}`,
      }
      return [
        name,
        createHandlerOf(inner, own, {
          host,
          shared: {
            bodies,
            answers,
            cookieName: `${catalog.name}_${name}`,
            cookieBase: mountPoints.basePath,
            isStopping: () => isStopping,
          },
        }),
      ]
    }),
  )
  let isStopping = false
  const state: HandlerState = {
    engine,
    host,
    options,
    mountPoints,
    limits,
    failures,
    bodies,
    answers,
    durability,
    streams,
    everything: new Names(catalog, null),
    rules: {
      users: options.users === undefined ? null : directoryOf(options.users),
      infoRule: options.info ?? 'own',
      entitySetScope: options.entitySets?.scope ?? 'store',
      imageConverter: options.imageConverter ?? null,
      streams: options.live === undefined || options.live === false ? null : streams,
      metrics: metrics.served,
      isStopping: () => isStopping || shared?.isStopping() === true,
      report: failures.notify,
    },
    allowedOrigins: options.allowedOrigins ?? [],
    secureCookies: options.secureCookies ?? 'auto',
  }

  const handleInput = metrics.counting((input: RestInput): Awaitable<RestResponse> => {
    const problem = problemOf(input)
    if (problem !== null) return failures.answer(restError('requestMalformed', { problem }))
    if (catalogs.size > 0) {
      const routed = routeOf(input, (input.mountPath ?? '') + mountPoints.basePath, catalogs)
      const handler = routed === null ? undefined : handlers.get(routed.name)
      if (routed !== null && handler?.handle.atOnce !== undefined)
        return handler.handle.atOnce(new RoutedInput(input, routed.url))
    }
    const isPlain =
      plain !== null && !isWithin((input.mountPath ?? '') + mountPoints.basePath, input.url)
    return new Exchange(state, input, isPlain ? plain : null).answer()
  })

  return {
    handle: Object.assign(async (input: RestInput) => handleInput(input), { atOnce: handleInput }),
    fetch: (request: Request, given?: { readonly context?: unknown }) =>
      answerFetch(request, given?.context ?? request, handleInput),
    onClientError: createClientErrorHandler(),
    answerError: (error) => failures.answer(error),
    endStreams: () => {
      streams.endAll()
      for (const handler of handlers.values()) handler.endStreams()
    },
    prepareToStop: () => {
      isStopping = true
    },
    metrics: () => metrics.text(),
    advice: () => [
      ...(slow?.advice ?? []),
      ...[...handlers.values()].flatMap((handler) => handler.advice()),
    ],
    basePath: mountPoints.basePath,
    plain,
    limits,
  }
}

/** State shared by the handlers of several stores. */
interface Shared {
  readonly isStopping: () => boolean
  readonly bodies: BodyBudget
  readonly answers: AnswerBudget
  /** The name in the session's cookie. */
  readonly cookieName: string
  /** The path of the cookie. */
  readonly cookieBase: string
}
