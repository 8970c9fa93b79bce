import { type AnyDataStore, EntiaError } from '@entia/core'
import type { BatchOutcome, BatchValues, KeyBlock } from '@entia/core/internal'
import { denied } from '../interface/permit.ts'
import { ReplicaState } from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'

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

  /** The outcome of a batch that was decided before; null for a new one. */
  outcomeOf(number: number): BatchOutcome | null {
    const known = this.#entity
    if (known === null || number > known.last) return null
    const { globalStamp } = this.#store
    return this.#refusals.get(String(number)) ?? { kind: 'applied', number, globalStamp }
  }

  /** Part of the transaction of the batch, if there is one. */
  note(outcome: BatchOutcome): void {
    const refused = this.#refusals
    if (outcome.kind === 'refused') refused.set(String(outcome.number), outcome)
    this.#save({ last: outcome.number, refused: Object.fromEntries(refused) })
  }

  /** Drops the refusals that have arrived. */
  forget(received: number): void {
    const refused = this.#refusals
    const kept = [...refused].filter(([number]) => Number(number) > received)
    if (kept.length < refused.size) this.#save({ refused: Object.fromEntries(kept) })
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
  get #refusals(): Map<string, BatchOutcome> {
    return new Map(Object.entries(this.#entity?.refused ?? {}))
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

interface KnownReplica {
  readonly user: string | null
  readonly last: number
  readonly refused: { readonly [number: string]: BatchOutcome } | null
  readonly leased: { readonly [dataClass: string]: readonly KeyBlock[] } | null
}
