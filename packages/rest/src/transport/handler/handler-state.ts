import { DEFAULT_HOST, type Engine, type HandlerHost, Names } from '@entia/engine'
import type { HandlerRules } from '../../endpoints/context/context.ts'
import { directoryOf } from '../../endpoints/context/users.ts'
import { RunningRequests } from '../../operator/running-requests.ts'
import { publicError } from '../../render/status.ts'
import { limitsOf } from '../../request/limits.ts'
import { SlowRequests } from '../../slow/slow-requests.ts'
import { AnswerBudget } from '../body/answer-budget.ts'
import { BodyBudget } from '../body/body-budget.ts'
import { Durability } from '../live/durability.ts'
import { LiveStreams } from '../live/live-streams.ts'
import { ReplicaStreams } from '../live/replica-streams.ts'
import { Failures } from './client-error.ts'
import { mountPointsOf, normalizeBasePath } from './mount-points.ts'
import { plainServiceOf } from './plain-service.ts'
import { HandlerMetrics } from './request-metrics.ts'
import type { RestOptions } from './rest-options.ts'

export interface StateParts {
  /** In place of members of the default host. */
  readonly host?: Partial<HandlerHost>
  /** What the handlers of several stores share. */
  readonly shared?: {
    readonly bodies: BodyBudget
    readonly answers: AnswerBudget
    readonly stopping: { readonly isStopping: boolean }
    /** The name in the session's cookie. */
    readonly cookieName: string
    /** The path of the cookie. */
    readonly cookieBase: string
  }
}

/** What all requests of a handler share. */
export type HandlerState = ReturnType<typeof handlerStateOf>

/** Throws argumentInvalid. */
export function handlerStateOf(
  served: Engine,
  options: RestOptions<unknown, object>,
  { host: given, shared }: StateParts,
) {
  const { catalog } = served
  const host = { ...DEFAULT_HOST, ...given }
  const slow =
    options.slow === undefined
      ? null
      : new SlowRequests(served, options.slow, host.monotonic, (error) => failures.notify(error))
  const observed = slow === null ? served : slow.engine
  const { operator, durable } = options
  /** Null without the option `operator`. */
  const running = operator === undefined ? null : new RunningRequests(observed, host.monotonic)
  const engine = running?.engine ?? observed
  const limits = limitsOf(options.limits)
  const plain = plainServiceOf(options, catalog, limits)
  /** Null if answers do not wait for durability. */
  const durability = durable === undefined ? null : new Durability(durable, engine.lastCommit)
  const metrics = new HandlerMetrics(engine, host, options.metrics, () => ({
    open: [...streams.list(), ...replicas.list()],
    batches: replicas.batches,
  }))
  const failures = new Failures(options.onError, metrics)
  const report = (error: unknown): void => failures.report([publicError(error)])
  const streamed = { engine, host, durability, report }
  const streams = new LiveStreams(streamed, options.live)
  const replicas = new ReplicaStreams(streamed, options.replicas)
  const stopping = { isStopping: false }
  const rules: HandlerRules = {
    users: options.users === undefined ? null : directoryOf(options.users),
    infoRule: options.info ?? 'own',
    entitySetScope: options.entitySets?.scope ?? 'store',
    imageConverter: options.imageConverter ?? null,
    streams: options.live === undefined || options.live === false ? null : streams,
    replicas: options.replicas === undefined || options.replicas === false ? null : replicas,
    operator:
      operator === undefined || running === null
        ? null
        : { rule: operator, engine, slow, streams, replicas, running },
    metrics: metrics.served,
    isStopping: () => stopping.isStopping || shared?.stopping.isStopping === true,
    report: failures.notify,
  }
  return {
    engine,
    host,
    options,
    basePath: normalizeBasePath(options.basePath),
    mountPointAt: mountPointsOf(
      options,
      limits,
      shared?.cookieName ?? catalog.name,
      plain,
      shared?.cookieBase,
    ),
    limits,
    plain,
    rules,
    failures,
    metrics,
    slow,
    stopping,
    bodies: shared?.bodies ?? new BodyBudget(limits.maxPendingBodyBytes, host.monotonic),
    answers: shared?.answers ?? new AnswerBudget(limits, host.monotonic, host.every),
    durability,
    streams,
    running,
    replicas,
    /**
     * The names for callers who may know everything exposed; shared with the projections built from
     * them.
     */
    everything: new Names(catalog, null),
    /** How a caller without a user gets one. */
    loginBy: options.identify === undefined ? ('directory' as const) : ('host' as const),
    allowedOrigins: options.allowedOrigins ?? [],
    secureCookies: options.secureCookies ?? 'auto',
  }
}
