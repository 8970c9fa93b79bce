import type { EntiaError, Session, SessionUser, TextForm } from '@entia/core'
import type { BatchCall } from '@entia/core/internal'
import type {
  Awaitable,
  Caller,
  Engine,
  EntitySetScope,
  NextSlice,
  Projection,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { Limits } from '../../request/limits.ts'
import { firstGiven, type Parameters } from '../../request/parameters.ts'
import type { InfoRule, MetricsAsker, ServedMetrics } from '../permission/privileges.ts'
import type { ReplicaRule, StreamRule } from './answer.ts'
import type { ImageConverter } from './image-types.ts'
import type { OperatorDesk } from './operator-desk.ts'
import type { LoginOrigin, UserDirectory } from './users.ts'

/** The rules of a handler, shared by its requests. */
export interface HandlerRules {
  /** Null if there are no users who can log in. */
  readonly users: UserDirectory<object> | null
  readonly infoRule: InfoRule
  readonly entitySetScope: EntitySetScope
  /** Null if images are not converted. */
  readonly imageConverter: ImageConverter | null
  /** Null if live queries are disabled. */
  readonly streams: StreamRule | null
  /** Null if replicas are disabled. */
  readonly replicas: ReplicaRule | null
  /** Null if nothing is served to operators. */
  readonly operator: OperatorDesk | null
  /** Null if metrics are not served. */
  readonly metrics: ServedMetrics | null
  /** True once the host has said that the server is about to stop. */
  isStopping(): boolean
  /** Notifies the host of a failure that the answer does not reveal. */
  report(error: unknown): void
}

/** The environment of a request. */
export interface HandleContext {
  readonly engine: Engine
  readonly caller: Caller
  readonly session: RequestSession
  /** Ends a time slice of a long batch or answer. */
  readonly nextSlice: NextSlice
  readonly limits: Limits
  readonly rules: HandlerRules
  readonly basePath: string
  /** Aborted when the client disconnects; null if the host cannot tell. */
  readonly signal: AbortSignal | null
  /**
   * How to write whole entities of a projection as text; null if a projection shows more than their
   * own values.
   */
  textForm(projection: Projection, isArray: boolean): TextForm | null
  /** A header of the request by its lower-case name; null when absent. */
  header(name: string): string | null
  /** The caller with permissions for functions that only the body names. */
  callerOf(calls: readonly BatchCall[]): Awaitable<Caller>
  /** For a GET that changes state. Throws crossSiteRefused. */
  refuseCrossSite(): void
}

/** The session of one request, created on demand: a plain read creates none. */
export interface RequestSession {
  /** Null if there is none, or the one of the cookie has ended. */
  readonly current: Session | null
  /** The origin of the request as reported by its sender. */
  readonly origin: LoginOrigin
  /**
   * The current session, or a new one whose cookie the answer sets. Throws tooManySessions, and
   * loginRequired if the application identifies the callers and has not identified this one.
   */
  require(): Awaitable<Session>
  /**
   * Starts the session of a user who has logged in, under a new token: a party that knew the old
   * token does not take part in it.
   */
  login(user: SessionUser, lifetimeSeconds: number | null): Awaitable<Session>
  /** Ends the current session and its locks. */
  close(): Awaitable<void>
}

/** The error for a combination that the interface does not have. */
export function notApplicable(what: string, problem: string): EntiaError {
  return restError('methodNotApplicable', { what, problem })
}

/**
 * Refuses the first of several parameters that is given, all for the same reason. Throws
 * methodNotApplicable.
 */
export function refuseGiven(
  parameters: Parameters,
  members: readonly (keyof Parameters)[],
  problem: string,
): void {
  const name = firstGiven(parameters, members)
  if (name !== undefined) throw notApplicable(name, problem)
}

/** Refuses parameters that request values in place of entities. Throws methodNotApplicable. */
export function refuseValues({ compute, distinct, groupBy }: Parameters, problem: string): void {
  if (compute !== null) throw notApplicable('$compute', problem)
  if (distinct) throw notApplicable('$distinct', problem)
  if (groupBy !== null) throw notApplicable('$groupby', problem)
}

/**
 * Whether a rule of the host allows a caller something. A rule that throws counts as "no" and is
 * reported to the host.
 */
export async function isAllowed(
  rule: (asker: MetricsAsker) => boolean | Promise<boolean>,
  { session, header, rules: { report } }: HandleContext,
): Promise<boolean> {
  try {
    const asker = { session: session.current, remoteAddress: session.origin.ipAddress, header }
    return (await rule(asker)) === true
  } catch (error) {
    report(error)
    return false
  }
}
