import type { EntiaError } from '@entia/core'
import type { BatchOutcome, BatchRefusal } from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import type { Awaitable } from '../interface/awaitable.ts'
import { refusalOf } from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'
import { toEntiaError, visibleReason } from './errors.ts'
import type { ReplicaNotes } from './replica-notes.ts'

/** Runs a body that may write as the caller: at once unless a long read is running. */
export type Write = <R>(body: () => R) => Awaitable<R>

export interface Writes {
  readonly write: Write
  /** As `write`, also if the session of the caller has ended since. */
  readonly finish: Write
}

/** Thrown inside a transaction to roll it back. `attempt` catches it. */
export class Refused {
  readonly refusal: BatchRefusal
  /** Null for conflicts. */
  readonly error: EntiaError | null
  constructor(refusal: BatchRefusal, error: EntiaError | null) {
    this.refusal = refusal
    this.error = error
  }
}

/** As whom batches are decided, and the errors of those that were refused, for the host. */
export interface Deciding {
  readonly callerStore: CallerStore
  readonly failures: EntiaError[]
  /**
   * The entities that earlier batches of the request have saved, by dataclass and key: the stamp
   * that the replica knows, and the one that its own saves have led to. Others have not saved in
   * between.
   */
  readonly own: Map<string, { readonly from: number; readonly to: number }>
}

/** Runs a transaction. If it is refused, the answer says why and nothing is stored. */
export function attempt<R>(deciding: Deciding, body: () => R): R | BatchRefusal {
  try {
    return deciding.callerStore.store.transact(body as () => never)
  } catch (error) {
    return refusalFor(deciding, error)
  }
}

/** The outcome of a batch that was decided before, or may have been; null for a new one. */
export function knownOutcome(
  deciding: Deciding,
  notes: ReplicaNotes,
  number: number,
): BatchOutcome | null {
  const known = notes.outcomeOf(number)
  if (known !== null || !notes.isExpired) return known
  const refusal = refusalFor(deciding, engineError('replicaExpired', {}))
  return { kind: 'refused', number, refusal }
}

/** An error as the caller may see it. */
export function refusalFor({ callerStore, failures }: Deciding, error: unknown): BatchRefusal {
  if (error instanceof Refused) {
    if (error.error !== null) failures.push(error.error)
    return error.refusal
  }
  const visible = visibleReason(callerStore, toEntiaError(error))
  failures.push(visible)
  return refusalOf(visible)
}
