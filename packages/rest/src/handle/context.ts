import type { Limits } from '../request/limits.ts'
import type { EngineDoor } from './engine-door.ts'

/** What every request is answered from. */
export interface HandleContext {
  readonly door: EngineDoor
  readonly limits: Limits
  readonly basePath: string
}
