import { type AnyDataStore, EntiaError } from '@entia/core'
import type { BatchOutcome, BatchValues, KeyBlock } from '@entia/core/internal'
import { denied } from '../interface/permit.ts'
import { ReplicaState } from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'

/**
 * Outcomes that are kept for one replica: each batch that adds one writes all of them again. A
 * replica sends at most 100 batches, and then says what has arrived. After a restore of the server,
 * as many outcomes of before may be kept too.
 */
const MAX_OUTCOMES = 200

/** What the store notes of one replica: its entity in `ReplicaState`. */
export class ReplicaNotes {
  readonly #store: AnyDataStore
  readonly #replica: string
  readonly #user: string | null

  /**
   * Throws accessDenied for a replica of another user, argumentInvalid for a store without
   * `ReplicaState`.
   */
  constructor({ store, caller }: CallerStore, replica: string, user: string | null) {
    this.#store = store
    this.#replica = replica
    this.#user = caller.session?.user?.ID ?? null
    if (!store.catalog.byName.has(ReplicaState.name))
      throw new EntiaError('argumentInvalid', {
        argument: 'The store',
        expected: `one that can note what replicas have written: add ${ReplicaState.name} of @entia/rest to its dataclasses`,
        found: 'one without',
      })
    const known = this.#entity
    if (user !== this.#user || (known !== null && known.user !== user))
      throw denied(caller, { action: 'update', dataClass: ReplicaState.name, name: replica })
  }

  /**
   * The outcome of a batch that was decided before; null for a new one. Throws budgetExceeded for a
   * new one while `MAX_OUTCOMES` are kept: none of them may be dropped before it has arrived.
   */
  outcomeOf(number: number): BatchOutcome | null {
    const known = this.#entity
    const outcomes = this.#outcomes
    if (known === null || number > known.last) {
      if (outcomes.size < MAX_OUTCOMES) return null
      const what = 'outcomes of batches that "received" does not include'
      throw new EntiaError('budgetExceeded', {
        what,
        limit: MAX_OUTCOMES,
        option: 'not adjustable',
      })
    }
    const { globalStamp } = this.#store
    const outcome = outcomes.get(String(number)) ?? { kind: 'applied', number }
    return outcome.kind === 'refused' ? outcome : { ...outcome, globalStamp }
  }

  /** Part of the transaction of the batch, if there is one. */
  note(outcome: KeptOutcome): void {
    const outcomes = this.#outcomes
    // Of others the number says all.
    if (outcome.kind === 'refused' || outcome.result !== undefined)
      outcomes.set(String(outcome.number), outcome)
    this.#save({ last: outcome.number, outcomes: Object.fromEntries(outcomes) })
  }

  /** Drops the outcomes that have arrived. */
  forget(received: number): void {
    const outcomes = this.#outcomes
    const kept = [...outcomes].filter(([number]) => Number(number) > received)
    if (kept.length < outcomes.size) this.#save({ outcomes: Object.fromEntries(kept) })
  }

  /** The blocks of keys of a dataclass that only this replica gives, in their order. */
  blocksOf(dataClass: string): readonly KeyBlock[] {
    return this.#leased.get(dataClass) ?? []
  }
  mayGive(dataClass: string, key: number): boolean {
    return this.blocksOf(dataClass).some(([first, last]) => first <= key && key <= last)
  }
  /** Part of the open transaction. */
  noteBlocks(dataClass: string, blocks: readonly KeyBlock[]): void {
    const leased = this.#leased.set(dataClass, blocks)
    this.#save({ leased: Object.fromEntries(leased) })
  }

  get #leased(): Map<string, readonly KeyBlock[]> {
    return new Map(Object.entries(this.#entity?.leased ?? {}))
  }
  get #outcomes(): Map<string, KeptOutcome> {
    return new Map(Object.entries(this.#entity?.outcomes ?? {}))
  }
  get #entity(): KnownReplica | null {
    const entity: unknown = this.#store.dataClass(ReplicaState.name).get(this.#replica)
    return (entity as KnownReplica | undefined) ?? null
  }
  #save(values: BatchValues): void {
    const table = this.#store.dataClass(ReplicaState.name)
    if (table.has(this.#replica)) table.update(this.#replica, values)
    else table.insert({ ID: this.#replica, user: this.#user, ...values })
  }
}

/** An outcome that is part of the commit whose stamp it would have. */
export type KeptOutcome =
  | Extract<BatchOutcome, { kind: 'refused' }>
  | Omit<Extract<BatchOutcome, { kind: 'applied' }>, 'globalStamp'>

interface KnownReplica {
  readonly user: string | null
  readonly last: number
  readonly outcomes: { readonly [number: string]: KeptOutcome } | null
  readonly leased: { readonly [dataClass: string]: readonly KeyBlock[] } | null
}
