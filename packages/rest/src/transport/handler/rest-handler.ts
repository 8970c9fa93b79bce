import type { AnyDataStore } from '@entia/core'
import { needCapabilities } from '@entia/core/internal'
import {
  type AnyClaims,
  type Awaitable,
  createLocalEngine,
  DEFAULT_HOST,
  ENGINE,
  type Engine,
  type EngineOptions,
  type HandlerHost,
  type Served,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { type Limits, limitsOf } from '../../request/limits.ts'
import type { IndexAdvice } from '../../slow/index-advice.ts'
import { isWithin } from '../input/request-origin.ts'
import { problemOf, type RestInput } from '../input/rest-input.ts'
import { checkCatalogNames, openApiBelow, routedInput, routeOf } from './catalogs.ts'
import { checkExpiry, checkOptions, checkStore } from './check-options.ts'
import { type ClientErrorHandler, createClientErrorHandler } from './client-error.ts'
import { answerFetch } from './fetch.ts'
import { handlerStateOf, type StateParts } from './handler-state.ts'
import { RequestRun } from './request-run.ts'
import type { RestOptions } from './rest-options.ts'

/** Executes a request. The promise never rejects. */
export interface Handle {
  (input: RestInput): Promise<RestResponse>
  /**
   * For bridges: the same, without a promise if nothing has to be awaited. It is a property of the
   * function, so that a wrapper that a host puts around `handle` is not bypassed.
   */
  readonly handleSync?: (input: RestInput) => Awaitable<RestResponse>
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
  /**
   * Asks `authorize` and `identify` again for the replicas of a user, or of all. They are asked
   * with each heartbeat too.
   */
  permissionsChanged(userId?: string): void
  /**
   * Removes what `ReplicaState` notes of replicas that have written nothing for so many days. One
   * that comes back later continues; its transactions that wait become problems (replicaExpired),
   * because they may have been applied before. Resolves with the number of removed entities. Cost:
   * a scan of `ReplicaState`, then a transaction for every 500. Rejects with argumentInvalid.
   */
  expireReplicas(options: { readonly days: number }): Promise<number>
  /** Ends every stream of `$live=true` and `$replica`. Call it before the server closes. */
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
export interface HandlerParts extends StateParts {
  /** The engines of additional stores, by name. */
  readonly further?: ReadonlyMap<string, Engine>
}

/** Serves any engine. */
export function createHandlerOf(
  served: Engine,
  options: RestOptions<unknown, object> = {},
  { further = new Map(), ...parts }: HandlerParts = {},
): RestHandler {
  const state = handlerStateOf(served, options, parts)
  const { host, basePath, plain, metrics, failures, streams, replicas, slow, limits } = state
  const { bodies, answers, stopping } = state
  const catalogs = new Map([...further].map(([name, { catalog }]) => [name, catalog]))
  const handlers = new Map(
    [...further].map(([name, inner]) => {
      const own = {
        ...options,
        plain: false,
        ...openApiBelow(options.openapi, plain === null ? '' : basePath, name),
        basePath: `${basePath}/${name}`,
      }
      const cookieName = `${served.catalog.name}_${name}`
      const shared = { bodies, answers, stopping, cookieName, cookieBase: basePath }
      return [name, createHandlerOf(inner, own, { host, shared })]
    }),
  )

  const handleInput = metrics.counting((input: RestInput): Awaitable<RestResponse> => {
    const problem = problemOf(input)
    if (problem !== null) return failures.answer(restError('requestMalformed', { problem }))
    if (catalogs.size > 0) {
      const routed = routeOf(input, (input.mountPath ?? '') + basePath, catalogs)
      const handler = routed === null ? undefined : handlers.get(routed.name)
      if (routed !== null && handler?.handle.handleSync !== undefined)
        return handler.handle.handleSync(routedInput(input, routed.url))
    }
    const isPlain = plain !== null && !isWithin((input.mountPath ?? '') + basePath, input.url)
    return new RequestRun(state, input, isPlain ? plain : null).answer()
  })

  return {
    handle: Object.assign(async (input: RestInput) => handleInput(input), {
      handleSync: handleInput,
    }),
    fetch: (request: Request, given?: { readonly context?: unknown }) =>
      answerFetch(request, given?.context ?? request, handleInput),
    onClientError: createClientErrorHandler(),
    answerError: (error) => failures.answer(error),
    endStreams: () => {
      streams.endAll()
      replicas.endAll()
      for (const handler of handlers.values()) handler.endStreams()
    },
    permissionsChanged: (userId) => {
      replicas.permissionsChanged(userId)
      for (const handler of handlers.values()) handler.permissionsChanged(userId)
    },
    expireReplicas: async (options) => {
      const { days } = checkExpiry(options)
      let count = await replicas.expire(days, {
        session: null,
        access: null,
        names: state.everything,
      })
      for (const handler of handlers.values()) count += await handler.expireReplicas({ days })
      return count
    },
    prepareToStop: () => {
      stopping.isStopping = true
    },
    metrics: () => metrics.text(),
    advice: () => [
      ...(slow?.advice ?? []),
      ...[...handlers.values()].flatMap((handler) => handler.advice()),
    ],
    basePath,
    plain,
    limits,
  }
}

/**
 * Serves a store in memory, or any store with an engine of its own. It does not listen on a port:
 * pass `handle`, `fetch` or `toNodeHandler` to a host. Throws argumentInvalid for an invalid store,
 * and for unknown or invalid options.
 *
 * @example
 * ```ts
 * const handler = createRestHandler(store)
 * const reply = await handler.fetch(new Request('http://localhost/rest/Employee(1)'))
 * reply.status // → 200
 * ```
 */
export function createRestHandler<Context = unknown, Claims extends object = AnyClaims>(
  store: AnyDataStore | Served,
  options: RestOptions<Context, Claims> = {},
): RestHandler {
  checkStore(store)
  checkOptions(options)
  const { maxWaitingReads } = limitsOf(options.limits)
  const host = hostOf(store)
  const { catalogs = {}, ...own } = options
  checkCatalogNames(catalogs, store.catalog)
  const further = Object.entries(catalogs).map(
    ([name, served]) => [name, engineOf(served, { host, maxWaitingReads })] as const,
  )
  return createHandlerOf(engineOf(store, { host, maxWaitingReads }), own, {
    host,
    further: new Map(further),
  })
}

/** The capabilities whose members the local engine uses. */
const NEEDED = ['server', 'views', 'indexes', 'liveQueries', 'aggregates', 'grouping']

const isServed = (store: AnyDataStore | Served): store is Served => ENGINE in store

function engineOf(store: AnyDataStore | Served, options: EngineOptions): Engine {
  if (isServed(store)) return store[ENGINE](options)
  needCapabilities(store, 'createRestHandler', NEEDED)
  return createLocalEngine(store, options.host.nextSlice, options.maxWaitingReads)
}

/** A store in memory has a clock of its own, which tests may have set. */
function hostOf(store: AnyDataStore | Served): HandlerHost {
  if (isServed(store)) return DEFAULT_HOST
  return { ...DEFAULT_HOST, monotonic: () => store.figures.uptimeMilliseconds }
}
