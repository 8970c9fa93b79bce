import type { Transport } from '@entia/client/internal'
import type { AnyDataStore } from '@entia/core'
import type { Conflict, Resolution } from './conflict.ts'
import type { Coverage } from './coverage.ts'
import type { Kept } from './replicate.ts'
import type { SentShape } from './shapes.ts'

export type SentShapes = { readonly [dataClass: string]: SentShape }

/**
 * | state | |
 * |---|---|
 * | `loading` | nothing is here yet |
 * | `behind` | connected; changes of the server are on their way |
 * | `current` | connected; everything that the server has sent is here |
 * | `offline` | no connection; it is opened again by itself |
 * | `refused` | the server refuses the request or the user; see `error` |
 */
export type ReplicaState = 'loading' | 'behind' | 'current' | 'offline' | 'refused'

export interface ReplicaParts {
  readonly store: AnyDataStore
  /** See `uniqueIn`. */
  readonly unique: ReadonlySet<string>
  readonly transport: Transport
  readonly coverage: (shapes: SentShapes) => Coverage
  readonly shapes: SentShapes
  /** How many keys are leased at a time, by dataclass. */
  readonly lease: { readonly [dataClass: string]: number }
  readonly strict: boolean
  /** Answers queries that need more than the shapes hold. */
  readonly partial: boolean
  readonly conflict: ((conflict: Conflict) => Resolution | undefined) | undefined
  readonly onError: (error: unknown) => void
  /** Whose data these are, if the program knows it. */
  readonly user: string | null | undefined
  /** After so many days without the server, contents are not shown. */
  readonly expires: number | null
  /** Removes changes that wait if they are in the way. */
  readonly drop: boolean
  readonly pauses: { readonly first: number; readonly longest: number }
  /** The journal; null for a replica in memory. */
  readonly kept: Kept | null
}
