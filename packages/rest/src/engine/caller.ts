import type { Session } from '@entia/core'
import type { Access } from './access.ts'
import type { Names } from './names.ts'

/** On whose behalf the engine is asked. */
export interface Caller {
  /** Null for a caller without a session: nothing it does needs one, or it has none yet. */
  readonly session: Session | null
  /** Null where everything exposed may be read and written. */
  readonly access: Access | null
  /** The model as the caller knows it. */
  readonly names: Names
  /** True when nobody waits for the answer any more; asked between the turns of what takes long. */
  readonly isGone?: () => boolean
}
