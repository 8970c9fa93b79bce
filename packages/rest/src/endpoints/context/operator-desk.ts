import type { ClassSizes, StorageState } from '@entia/engine'
import type { OperatorRule } from '../permission/privileges.ts'

/** An index that slow reads would have used, with what it would take. */
export interface ProposedIndex {
  readonly dataClass: string
  readonly attribute: string
  /** What to write into the definition. */
  readonly change: string
  /** Slow reads that it concerns, and their milliseconds together. */
  readonly reads: number
  readonly milliseconds: number
  readonly reason: string
  /** Entities that such a read looks at and that it finds, about; null if not known. */
  readonly looksAt: number | null
  readonly finds: number | null
  /** What the index would take, about. */
  readonly bytes: number
  readonly buildMilliseconds: number
}

/** An open stream of a live query or a replica. */
export interface OpenStreamInfo {
  readonly kind: 'live' | 'replica'
  /** Null for a guest. */
  readonly user: string | null
  readonly dataClasses: readonly string[]
  /** Of a live query: whether it is derived from each commit, or found again. */
  readonly plan: 'incremental' | 'recompute' | null
  /** The id that a replica has chosen. */
  readonly replica: string | null
  /** Since when changes wait for the client to take them; 0 if it has everything. */
  readonly behindMilliseconds: number
}

/** What operators see and do. */
export interface OperatorDesk {
  readonly rule: OperatorRule
  readonly offersAdvice: boolean
  readonly createsIndexes: boolean
  /** `RunningInfo` of each request. */
  requests(): readonly object[]
  /** The plan of a request; null without one, undefined if there is no request with this id. */
  plan(id: number): Promise<readonly string[] | null | undefined>
  /** Ends a request; false if it must run to its end, null if there is none with this id. */
  stop(id: number): boolean | null
  sizes(): Promise<readonly ClassSizes[]>
  indexes(): Promise<readonly ProposedIndex[]>
  /** Throws attributeNotFound, indexInvalid, notOnThisEngine. */
  createIndex(dataClass: string, attribute: string): Promise<void>
  streams(): readonly OpenStreamInfo[]
  storage(): Promise<StorageState>
}
