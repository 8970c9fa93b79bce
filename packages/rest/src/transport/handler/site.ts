import type { Engine } from '../../engine/engine.ts'
import type { Names } from '../../engine/names.ts'
import type { EntitySetScope } from '../../engine/selection-source.ts'
import type { ImageConverter } from '../../handle/context/image-types.ts'
import type { UserDirectory } from '../../handle/context/users.ts'
import type { InfoRule } from '../../handle/permission/service-rules.ts'
import type { Limits } from '../../request/limits.ts'
import type { BodyBudget } from '../body/body-budget.ts'
import type { Durability } from '../live/durability.ts'
import type { LiveStreams } from '../live/live-streams.ts'
import type { Failures } from './failures.ts'
import type { HandlerMetrics } from './handler-metrics.ts'
import type { MountPoints } from './mount-points.ts'
import type { RestOptions } from './rest-options.ts'

/** State that all requests of a handler share. */
export interface Site {
  readonly engine: Engine
  readonly options: Pick<RestOptions, 'admit' | 'allowedHosts' | 'authorize' | 'forceLogin'>
  readonly mountPoints: MountPoints
  readonly limits: Limits
  readonly failures: Failures
  readonly metrics: HandlerMetrics
  readonly bodies: BodyBudget
  /** Null if answers do not wait for durability. */
  readonly durability: Durability | null
  readonly streams: LiveStreams
  /** True if live queries are enabled. */
  readonly isLive: boolean
  /**
   * The names for callers who may know everything exposed; shared with the projections built from
   * them.
   */
  readonly everything: Names
  /** Null if there are no users who can log in. */
  readonly users: UserDirectory | null
  readonly infoRule: InfoRule
  readonly entitySetScope: EntitySetScope
  readonly imageConverter: ImageConverter | null
  readonly allowedOrigins: readonly string[]
  readonly secureCookies: boolean | 'auto'
}
