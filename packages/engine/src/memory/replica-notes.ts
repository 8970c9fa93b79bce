import type { AnyDataStore } from '@entia/core'
import {
  type BatchOutcome,
  type BatchValues,
  handleOf,
  type KeyBlock,
  overBudget,
  refused,
} from '@entia/core/internal'
import { fingerprint } from '../interface/fingerprint.ts'
import { denied } from '../interface/permit.ts'
import {
  type BatchQuery,
  EXPIRED_AT_ONCE,
  expiredAt,
  REPLICA_ERA,
  ReplicaState,
} from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'

/**
 * Outcomes that are kept for one replica: each one that is added stores all of them again. A
 * replica sends at most 100 batches, and then says what has arrived. After a restore of the server,
 * as many outcomes of before may be kept too.
 */
const MAX_OUTCOMES = 200
/** Their characters as JSON, beyond which no outcome is added: a conflict has whole values. */
const MAX_CHARACTERS = 250_000
/**
 * Anybody may send batches that are refused, each under an ID of its own. Replicas for which
 * nothing else was ever noted share this many entities, chosen by a hash of the ID: the memory that
 * they take is bounded. One that loses its entity to another only loses refusals: a batch whose
 * refusal did not arrive is decided again.
 */
const SHARED_ENTITIES = 256

/** It changes whenever entities of replicas are removed. */
export function eraOf(store: AnyDataStore): string {
  if (!store.catalog.byName.has(ReplicaState.name)) return ''
  const entity: unknown = store.dataClass(ReplicaState.name).get(REPLICA_ERA)
  return (entity as Pick<KnownReplica, 'replica'> | undefined)?.replica ?? ''
}

/**
 * Removes the entities of some replicas that have written nothing for so many days, and begins
 * another era: a batch of theirs that comes back may have been decided before. Returns their
 * number. Of `among`, if it is given.
 */
export function expireNotes(store: AnyDataStore, days: number, among?: readonly string[]): number {
  if (!store.catalog.byName.has(ReplicaState.name)) return 0
  const { clock, ids } = handleOf(store)
  const table = store.dataClass(ReplicaState.name)
  return store.transact(() => {
    const { text, params } = expiredAt(clock.now(), days)
    const some = among === undefined ? table.all() : table.from(among)
    const expired = some.query(text, params ?? []).page(0, EXPIRED_AT_ONCE)
    const { count } = expired
    if (count === 0) return 0
    expired.remove()
    const replica = ids.uuid()
    if (table.has(REPLICA_ERA)) table.update(REPLICA_ERA, { replica })
    else table.insert({ ID: REPLICA_ERA, replica })
    return count
  })
}

/**
 * What the store notes of one replica: its entity in `ReplicaState`, or one that it shares with
 * other replicas until a batch of it is applied.
 */
export class ReplicaNotes {
  readonly #store: AnyDataStore
  readonly #replica: string
  readonly #user: string | null
  /** The era in which the replica was answered last. */
  readonly #from: string

  /**
   * Throws accessDenied for a replica of another user, argumentInvalid for a store without
   * `ReplicaState`.
   */
  constructor(
    { store, caller }: CallerStore,
    { replica, user, era }: Pick<BatchQuery, 'replica' | 'user' | 'era'>,
  ) {
    this.#store = store
    this.#replica = replica
    this.#from = era
    this.#user = caller.session?.user?.ID ?? null
    if (!store.catalog.byName.has(ReplicaState.name))
      throw refused(
        'The store',
        `one that can note what replicas have written: add ${ReplicaState.name} of @entia/rest to its dataclasses`,
        'one without',
      )
    const known = this.#entity
    if (user !== this.#user || (known !== null && known.user !== user))
      throw denied(caller, { action: 'update', dataClass: ReplicaState.name, name: replica })
  }

  /**
   * The first batches, up to one that is new and whose outcome might not be kept: none that is kept
   * may be dropped before it has arrived. Throws budgetExceeded if that is the first.
   */
  *withRoom<B extends { readonly number: number }>(batches: readonly B[]): Generator<B> {
    for (const batch of batches) {
      const reached = this.#isNew(batch.number) ? this.#limitReached : null
      if (reached === null) yield batch
      else if (batch !== batches[0]) return
      else
        throw overBudget(
          `${reached[1]} of batches that "received" does not include`,
          reached[0],
          'not adjustable',
        )
    }
  }

  /**
   * True if the entity of the replica may have been removed: a batch that seems to be new may have
   * been decided before. Its refusal must not be noted, or the next batch would count as new.
   */
  get isExpired(): boolean {
    return this.#entity === null && this.#from !== eraOf(this.#store)
  }

  /** The outcome of a batch that was decided before; null for a new one. */
  outcomeOf(number: number): BatchOutcome | null {
    if (this.#isNew(number)) return null
    const { globalStamp } = this.#store
    const outcome = this.#outcomes.get(String(number)) ?? { kind: 'applied', number }
    return outcome.kind === 'refused' ? outcome : { ...outcome, globalStamp }
  }

  /** Part of the transaction of the batch, if there is one. */
  note(outcome: KeptOutcome, hasEffects = outcome.kind === 'applied'): void {
    // Of others the number says all.
    const isKept = outcome.kind === 'refused' || outcome.result !== undefined
    const kept = isKept ? this.#with(outcome) : {}
    this.#save({ last: outcome.number, ...kept }, hasEffects)
  }
  #with(outcome: KeptOutcome): BatchValues {
    const outcomes = this.#outcomes
    const key = String(outcome.number)
    const characters = this.#characters - lengthOf(outcomes.get(key)) + lengthOf(outcome)
    return { outcomes: Object.fromEntries(outcomes.set(key, outcome)), characters }
  }

  /** Drops the outcomes that have arrived. */
  forget(received: number): void {
    const outcomes = this.#outcomes
    let characters = this.#characters
    for (const [key, outcome] of this.#outcomes)
      if (Number(key) <= received && outcomes.delete(key)) characters -= lengthOf(outcome)
    if (characters < this.#characters)
      this.#save({ outcomes: Object.fromEntries(outcomes), characters }, false)
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
    this.#save({ leased: Object.fromEntries(leased) }, true)
  }

  get #leased(): Map<string, readonly KeyBlock[]> {
    return new Map(Object.entries(this.#entity?.leased ?? {}))
  }
  get #outcomes(): Map<string, KeptOutcome> {
    return new Map(Object.entries(this.#entity?.outcomes ?? {}))
  }
  get #characters(): number {
    return this.#entity?.characters ?? 0
  }
  /** The limit of the kept outcomes that is reached, and of what; null for neither. */
  get #limitReached(): readonly [limit: number, what: string] | null {
    const kept = this.#entity?.outcomes ?? {}
    if (Object.keys(kept).length >= MAX_OUTCOMES) return [MAX_OUTCOMES, 'outcomes']
    if (this.#characters < MAX_CHARACTERS) return null
    return [MAX_CHARACTERS, 'characters of outcomes']
  }
  #isNew(number: number): boolean {
    return number > (this.#entity?.last ?? 0)
  }

  get #entity(): KnownReplica | null {
    const own = this.#find(this.#replica)
    if (own !== null) return own
    const shared = this.#find(this.#sharedID)
    return shared?.replica === this.#replica ? shared : null
  }
  #find(id: string): KnownReplica | null {
    const entity: unknown = this.#store.dataClass(ReplicaState.name).get(id)
    return (entity as KnownReplica | undefined) ?? null
  }
  /** No replica has this ID: theirs have no tilde. */
  get #sharedID(): string {
    return `~${Number.parseInt(fingerprint(this.#replica).slice(0, 6), 36) % SHARED_ENTITIES}`
  }

  /** With `isOwn`, in the own entity of the replica; else in the one that it has. */
  #save(values: BatchValues, isOwn: boolean): void {
    const table = this.#store.dataClass(ReplicaState.name)
    const known = this.#entity
    const { user, last = 0, outcomes = {}, characters = 0 } = known ?? { user: this.#user }
    const own = { ...values, met: new Date(handleOf(this.#store).clock.now()) }
    if (this.#find(this.#replica) !== null) table.update(this.#replica, own)
    else if (isOwn) table.insert({ ID: this.#replica, user, last, outcomes, characters, ...own })
    else {
      const shared = { replica: this.#replica, user, last, outcomes, characters, ...values }
      if (table.has(this.#sharedID)) table.update(this.#sharedID, shared)
      else table.insert({ ID: this.#sharedID, ...shared })
    }
  }
}

/** The characters of an outcome as JSON. */
const lengthOf = (outcome: KeptOutcome | undefined): number =>
  outcome === undefined ? 0 : JSON.stringify(outcome).length

/** An outcome that is part of the commit whose stamp it would have. */
export type KeptOutcome =
  | Extract<BatchOutcome, { kind: 'refused' }>
  | Omit<Extract<BatchOutcome, { kind: 'applied' }>, 'globalStamp'>

interface KnownReplica {
  readonly replica: string | null
  readonly user: string | null
  readonly last: number
  readonly outcomes: { readonly [number: string]: KeptOutcome } | null
  readonly characters: number
  readonly leased: { readonly [dataClass: string]: readonly KeyBlock[] } | null
}
