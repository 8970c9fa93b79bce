import type { Engine } from '../../engine/engine.ts'
import type { HandlerHost } from '../../engine/host.ts'
import type { Names } from '../../engine/names.ts'
import type { HandlerRules } from '../../handle/context/context.ts'
import type { Limits } from '../../request/limits.ts'
import type { AnswerBudget } from '../body/answer-budget.ts'
import type { BodyBudget } from '../body/body-budget.ts'
import type { Durability } from '../live/durability.ts'
import type { LiveStreams } from '../live/live-streams.ts'
import type { Failures } from './failures.ts'
import type { MountPoints } from './mount-points.ts'
import type { RestOptions } from './rest-options.ts'

/** State that all requests of a handler share. */
export interface HandlerState {
  readonly engine: Engine
  readonly host: HandlerHost
  readonly options: Pick<
    RestOptions<unknown, object>,
    'admit' | 'allowedHosts' | 'authorize' | 'forceLogin' | 'identify'
  >
  readonly mountPoints: MountPoints
  readonly limits: Limits
  readonly rules: HandlerRules
  readonly failures: Failures
  readonly bodies: BodyBudget
  readonly answers: AnswerBudget
  /** Null if answers do not wait for durability. */
  readonly durability: Durability | null
  readonly streams: LiveStreams
  /**
   * The names for callers who may know everything exposed; shared with the projections built from
   * them.
   */
  readonly everything: Names
  readonly allowedOrigins: readonly string[]
  readonly secureCookies: boolean | 'auto'
}
