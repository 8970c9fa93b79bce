import type { AnyDataStore } from '@entia/core'
import type { AnyClaims, EntitySetScope, Served } from '@entia/engine'
import type { ImageConverter } from '../../endpoints/context/image-types.ts'
import type { ListedUser, UserDirectory } from '../../endpoints/context/users.ts'
import type { InfoRule, MetricsRule, OperatorRule } from '../../endpoints/permission/privileges.ts'
import type { AuthorizeAnswer, AuthorizeQuestion } from '../../endpoints/permission/questions.ts'
import type { PlainRestOptions } from '../../endpoints/plain/resources.ts'
import type { DateOnlyFormat } from '../../render/layout.ts'
import type { OpenApiInfo } from '../../render/openapi/document.ts'
import type { Limits } from '../../request/limits.ts'
import type { SlowOptions } from '../../slow/slow-requests.ts'
import type { Admission } from '../input/request-origin.ts'
import type { RestInput } from '../input/rest-input.ts'
import type { LiveLimits } from '../live/live-streams.ts'
import type { ReplicaLimits } from '../live/replica-streams.ts'
import type { Identification, IdentityRequest } from '../session/identity.ts'

/**
 * Options of the handler. Every option has a default. `Context` is what the host attaches to
 * requests, `Claims` the claims of users; TypeScript infers both from `identify`.
 */
export interface RestOptions<Context = unknown, Claims extends object = AnyClaims> {
  /** The start of every path; `/rest` by default. All emitted addresses include it. */
  readonly basePath?: string
  readonly dateOnlyFormat?: DateOnlyFormat
  /**
   * Additional stores by name, served with the same options: `publication` has its catalog at
   * `/rest/$catalog/publication` and its interface below `/rest/publication`. Each store has its
   * own sessions.
   */
  readonly catalogs?: { readonly [name: string]: AnyDataStore | Served }
  readonly limits?: Partial<Limits>
  /**
   * Serves plain REST beside the entity interface: `GET /posts?views_gte=150`, `PATCH /posts/1`.
   * `true` serves every exposed dataclass at the root. Disabled by default.
   */
  readonly plain?: boolean | PlainRestOptions
  /**
   * Origins whose pages may change state, for example `https://app.example`. None by default. `*`
   * allows the pages of every origin, without their cookies.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Hosts that requests may name, with a port or for all ports; any by default. Set it on a machine
   * that also runs browsers: `['localhost', '127.0.0.1', '[::1]']`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Called before a request is read, to limit the number of requests. Requests that are not
   * admitted get 429.
   */
  readonly admit?: (input: RestInput) => Admission | Promise<Admission>
  /**
   * Who may log in: a directory that checks names and passwords or, for tests and small tools, a
   * list. By default there are no users.
   */
  readonly users?: UserDirectory<Claims> | readonly ListedUser[]
  /**
   * Identifies the caller of every request in place of `users`, from a token, a session of the host
   * or a header. Returns the user, or null for a guest; what it throws refuses the request with
   * 401. Neither reads nor sets cookies.
   */
  identify?(request: IdentityRequest<Context>): Identification<Claims>
  /**
   * What each caller may know, read and change. Called before the engine. By default, everything
   * exposed.
   */
  authorize?(
    question: AuthorizeQuestion<Context, Claims>,
  ): AuthorizeAnswer | Promise<AuthorizeAnswer>
  /** True restricts unauthenticated callers to the catalog and the login. */
  readonly forceLogin?: boolean
  /**
   * Whether browsers send the session cookie over TLS only. `auto`, the default, depends on the
   * request that sets it.
   */
  readonly secureCookies?: boolean | 'auto'
  /**
   * `scope`: whether every caller with the id of an entity set may use it (`store`, the default),
   * or only the session that created it.
   */
  readonly entitySets?: { readonly scope?: EntitySetScope }
  /**
   * Enables live queries (`$live=true`), which send changes of a selection as events. Disabled by
   * default.
   */
  readonly live?: boolean | Partial<LiveLimits>
  /**
   * Serves replicas (`$replica`): stores of `@entia/replica` that hold a part of this one and send
   * their changes. The store needs `ReplicaState` among its dataclasses to take changes. Disabled
   * by default.
   */
  readonly replicas?: boolean | Partial<ReplicaLimits>
  /** Which entity sets and sessions `$info` shows to whom; by default each caller sees its own. */
  readonly info?: InfoRule
  /**
   * Serves `$openapi`, a description of the interface as each caller knows it. Disabled by default.
   */
  readonly openapi?: boolean | OpenApiInfo
  /**
   * Counts requests. `true`: for `rest.metrics()` only. A function also serves `$metrics` to
   * callers for whom it returns true; for others the address does not exist. Disabled by default.
   */
  readonly metrics?: boolean | MetricsRule
  /**
   * Serves `$operator` to callers for whom it returns true: running requests, sizes, advice about
   * indexes, streams, the storage. It is called once per request, with the requested action:
   * `look`, `stop` (end the request of somebody else) or `createIndex`. The overview `$operator`
   * answers which of them the caller may do, so it calls the rule for each. For others the
   * address does not exist. Disabled by default, and requests then cost nothing more.
   */
  readonly operator?: OperatorRule
  /**
   * Serves `$health/live` and `$health/ready` for proxies and orchestrators, to every caller.
   * Disabled by default.
   */
  readonly health?: boolean
  /**
   * Reports requests that take long, with the plan of their selection and without the values of
   * filters, and collects advice about indexes. Disabled by default.
   */
  readonly slow?: SlowOptions
  /**
   * Converts images for `$imageformat`. Without it, other formats than the stored one answer the
   * empty object. See `@entia/rest/sharp`.
   */
  readonly imageConverter?: ImageConverter
  /** Makes all commits durable: `() */
  readonly durable?: () => Promise<void>
  /** Receives every server and application error; clients learn only that the request failed. */
  readonly onError?: (error: unknown) => void
}
