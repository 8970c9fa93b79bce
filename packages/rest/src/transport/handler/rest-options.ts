import type { AnyDataStore } from '@entia/core'
import type { EntitySetScope } from '../../engine/selection-source.ts'
import type { ImageConverter } from '../../handle/context/image-types.ts'
import type { ListedUser, UserDirectory } from '../../handle/context/users.ts'
import type { Authorize } from '../../handle/permission/authorize.ts'
import type { InfoRule, MetricsRule } from '../../handle/permission/service-rules.ts'
import type { DateOnlyFormat } from '../../render/date-text.ts'
import type { OpenApiInfo } from '../../render/openapi/document.ts'
import type { Limits } from '../../request/limits.ts'
import type { Admission } from '../input/admission.ts'
import type { RestInput } from '../input/rest-input.ts'
import type { LiveLimits } from '../live/live-streams.ts'

/** How the interface is served. Every option has a default. */
export interface RestOptions {
  /** What every path begins with; `/rest` by default. Every address that is emitted carries it. */
  readonly basePath?: string
  readonly dateOnlyFormat?: DateOnlyFormat
  /**
   * Further stores by name, served with the same options: `publication` has its catalog at `/rest/$catalog/publication` and the whole interface
   * below `/rest/publication`. Each store has sessions of its own.
   */
  readonly catalogs?: { readonly [name: string]: AnyDataStore }
  readonly limits?: Partial<Limits>
  /** Origins whose pages may change state, for example `https://app.example`. None by default. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Hosts that a request may be for, with a port or for all ports; any by default. Set it on a machine that browsers use
   * too: `['localhost', '127.0.0.1', '[::1]']`.
   */
  readonly allowedHosts?: readonly string[]
  /** Asked before anything of a request is read: a place to limit how many there may be. What is not admitted is 429. */
  readonly admit?: (input: RestInput) => Admission | Promise<Admission>
  /** Who may log in: a directory that checks names and passwords, or, for tests and small tools, a plain list. Nobody by default. */
  readonly users?: UserDirectory | readonly ListedUser[]
  /** What each caller may know, read and change: asked before the engine is entered. Everything exposed by default. */
  readonly authorize?: Authorize
  /** True: whoever has not logged in may read the catalog and log in, and nothing else. */
  readonly forceLogin?: boolean
  /** Whether browsers send the session's cookie over TLS only; `auto`, the default, is as the request that it answers came. */
  readonly secureCookies?: boolean | 'auto'
  /** `scope`: whether everybody who has the id of an entity set may use it (`store`, the default), or only the session that made it. */
  readonly entitySets?: { readonly scope?: EntitySetScope }
  /** Lets selections be followed (`$live=true`): what becomes of them is sent as events, as it happens. Not by default. */
  readonly live?: boolean | Partial<LiveLimits>
  /** Who is shown which entity sets and sessions by `$info`; by default everybody their own. */
  readonly info?: InfoRule
  /** Serves `$openapi`, a description of the interface as each caller knows it. Not by default. */
  readonly openapi?: boolean | OpenApiInfo
  /**
   * Counts requests. `true`: for `rest.metrics()` alone; a function serves `$metrics` too, to those it says yes to, and to others as if it
   * were not there. Not by default.
   */
  readonly metrics?: boolean | MetricsRule
  /** Makes `$imageformat` another type than the stored one; without it that is the empty object. See `@entia/rest/sharp`. */
  readonly imageConverter?: ImageConverter
  /**
   * Makes every commit of the store durable: `() => journal.flush()`. The handler awaits it before it sends anything that may show a commit
   * which is not durable yet: answers to changes and to reads, errors, events of `$live=true`. If it rejects, the answer is 500, though a
   * change is made. It must resolve only when all commits made before the call are durable.
   */
  readonly durable?: () => Promise<void>
  /** Told of every failure that is ours or the application's own; the client learns only that there was one. */
  readonly onError?: (error: unknown) => void
}
