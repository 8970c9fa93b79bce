import type { EngineDoor } from '../door/engine-door.ts'
import type { Names } from '../door/names.ts'
import type { EntitySetScope } from '../door/selection-source.ts'
import type { ImageConverter } from '../handle/image-types.ts'
import type { InfoRule } from '../handle/info-rule.ts'
import type { UserDirectory } from '../handle/users.ts'
import type { Limits } from '../request/limits.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Durability } from './durability.ts'
import type { Failures } from './failures.ts'
import type { HandlerMetrics } from './handler-metrics.ts'
import type { Homes } from './homes.ts'
import type { LiveStreams } from './live-streams.ts'
import type { RestOptions } from './rest-options.ts'

/** What all requests of a handler have in common. */
export interface Site {
  readonly door: EngineDoor
  readonly options: Pick<RestOptions, 'admit' | 'allowedHosts' | 'authorize' | 'forceLogin'>
  readonly homes: Homes
  readonly limits: Limits
  readonly failures: Failures
  readonly metrics: HandlerMetrics
  readonly bodies: BodyBudget
  /** Null where nothing is waited for before an answer goes out. */
  readonly durability: Durability | null
  readonly streams: LiveStreams
  /** Selections can be followed. */
  readonly isLive: boolean
  /** Shared by all who may know everything exposed, and so are what was built of it. */
  readonly everything: Names
  /** Null where nobody can log in. */
  readonly users: UserDirectory | null
  readonly infoRule: InfoRule
  readonly entitySetScope: EntitySetScope
  readonly imageConverter: ImageConverter | null
  readonly allowedOrigins: readonly string[]
  readonly secureCookies: boolean | 'auto'
}
