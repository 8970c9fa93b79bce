import type { Engine } from '@entia/engine'
import type { RunningRequests } from '../../operator/running-requests.ts'
import type { IndexAdvice } from '../../slow/index-advice.ts'
import type { SlowRequests } from '../../slow/slow-requests.ts'
import type { OperatorRule } from '../permission/privileges.ts'

/** An index that slow reads would have used, with what it would take, about. */
export interface ProposedIndex extends IndexAdvice {
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

interface OpenStreams {
  list(): readonly OpenStreamInfo[]
}

/** What the option `operator` serves. */
export interface OperatorDesk {
  readonly rule: OperatorRule
  readonly engine: Engine
  /** Null without the option `slow`. */
  readonly slow: SlowRequests | null
  readonly streams: OpenStreams
  readonly replicas: OpenStreams
  readonly running: RunningRequests
}
