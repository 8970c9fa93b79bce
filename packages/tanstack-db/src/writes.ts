import type { PendingMutation } from '@tanstack/db'
import type { Conditions } from './filter.ts'
import { type FailedOutcome, MutationError } from './mutation-error.ts'
import type { Holder, Key, Row, Rows } from './rows.ts'
import type { Outcome, Read, Source } from './source.ts'
import type { Subset, Subsets } from './subsets.ts'

export type Mutation = Pick<PendingMutation<Row>, 'type' | 'changes' | 'original'> & {
  readonly key: Key
}

/** What the writes that are under way have made of an entity. */
interface Own {
  /** On the server. Only a temporary key of a row is another one. */
  readonly key: Key
  /** The stamp before the first of them; 0 for a new entity. */
  readonly since: number
  readonly stamp: number
}

/** So many own entities that no subset has are followed: the newest. */
const MOST_FOLLOWED = 8

/**
 * Sends the mutations of a collection one after the other. Each ends when the rows have it, so that
 * the collection shows either the optimistic or the new state. A save is refused if somebody else
 * has saved the entity since its row was read.
 */
export class Writes {
  readonly #source: Source
  readonly #rows: Rows
  readonly #subsets: Subsets
  readonly #conditions: Conditions
  readonly #own = new Map<Key, Own>()
  /** Of each row, when its last write has ended. */
  readonly #ends = new Map<Key, Promise<unknown>>()
  /** Holds the rows whose writes are under way, which may leave one subset for another. */
  readonly #kept: Holder = { keys: new Set() }
  readonly #followed: Subset[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(source: Source, rows: Rows, subsets: Subsets, conditions: Conditions) {
    this.#source = source
    this.#rows = rows
    this.#subsets = subsets
    this.#conditions = conditions
  }

  /** All or none. Throws `MutationError`, and what the source throws. */
  save(mutations: readonly Mutation[]): Promise<void> {
    return this.#inTurn(mutations, async (reads) => {
      const saves = mutations.map(({ type, changes }, at) =>
        type === 'insert' ? { read: null, values: changes } : { read: reads[at]!, values: changes },
      )
      const outcomes = await this.#source.save(saves)
      outcomes.forEach((outcome, at) => {
        if (outcome.kind !== 'saved') return
        const { key } = mutations[at]!
        const stamp = this.#source.stampOf(outcome.entity) ?? 0
        const since = this.#own.get(key)?.since ?? saves[at]!.read?.stamp ?? 0
        this.#own.set(key, { key: this.#source.keyOf(outcome.entity), since, stamp })
      })
      return outcomes
    })
  }

  /** Stops at the first that fails. Throws as `save`. */
  remove(mutations: readonly Mutation[]): Promise<void> {
    return this.#inTurn(mutations, async (reads) => {
      const outcomes = await this.#source.remove(reads)
      for (const { key } of mutations) this.#own.delete(key)
      return outcomes
    })
  }

  async #inTurn(
    mutations: readonly Mutation[],
    send: (reads: readonly Read[]) => Promise<readonly Outcome[]>,
  ): Promise<void> {
    const keys = mutations.map(({ key }) => key)
    const ends = keys.map((key) => this.#ends.get(key))
    const sent = this.#last.then(async () => {
      // Whatever the rows get of an entity after its last write comes from this one, or is newer.
      await Promise.all(ends)
      const reads = mutations.map((mutation) => this.#read(mutation))
      for (const { key } of reads) this.#rows.keep(key, this.#kept)
      const before = reads.map(({ key }) => this.#rows.get(key))
      return { reads, before, outcomes: await send(reads) }
    })
    this.#last = sent.catch(() => {})
    const ended = sent.then(({ reads, before, outcomes }) =>
      Promise.all(
        outcomes.map((outcome, at) => this.#arrived(outcome, reads[at]!.key, before[at])),
      ),
    )
    const end = ended
      .catch(() => {})
      .then(() => {
        for (const { key } of mutations)
          this.#rows.release(this.#own.get(key)?.key ?? key, this.#kept)
      })
    for (const key of keys) this.#ends.set(key, end)
    try {
      await end
      const { outcomes } = await sent
      await ended
      outcomes.forEach((outcome, at) => {
        if (isFailed(outcome)) throw new MutationError(this.#source.name, keys[at]!, outcome)
      })
    } finally {
      for (const key of keys)
        if (this.#ends.get(key) === end) {
          this.#ends.delete(key)
          this.#own.delete(key)
        }
    }
  }

  /** The own state of the row, if it is that or one before it. */
  #read({ key, original }: Mutation): Read {
    const stamp = this.#source.stampOf(original)
    const own = this.#own.get(key)
    if (own === undefined) return { key, stamp }
    const isOwn = own.since <= (stamp ?? 0) && (stamp ?? 0) <= own.stamp
    return { key: own.key, stamp: isOwn ? own.stamp : stamp }
  }

  /**
   * Resolves when the rows have what the server has answered. Every subset that has the entity
   * reports its change. An entity that no subset has is followed for a while: a subset may report
   * it later, and a row that nobody follows would become outdated.
   */
  async #arrived(outcome: Outcome, read: Key, before: Row | undefined): Promise<void> {
    const { kind } = outcome
    if (kind === 'locked' || kind === 'refused' || kind === 'undone') return
    const entity =
      kind === 'saved' ? outcome.entity : kind === 'stampChanged' ? outcome.current : null
    const stamp = entity === null ? undefined : this.#source.stampOf(entity)
    const key = entity === null ? read : this.#source.keyOf(entity)
    await this.#rows.until(
      key,
      (row) =>
        row === undefined ||
        row !== before ||
        !this.#rows.isHeldByOthers(key, this.#kept) ||
        (stamp !== undefined && (this.#source.stampOf(row) ?? 0) >= stamp),
    )
    if (kind !== 'saved' || this.#rows.isHeldByOthers(key, this.#kept)) return
    const subset = this.#subsets.open(this.#conditions('__KEY', '===', key))
    this.#followed.push(subset)
    if (this.#followed.length > MOST_FOLLOWED) this.#followed.shift()?.close()
    // The entity is saved, whether it can be followed or not.
    await subset.loaded.catch(() => {})
    const isElsewhere = (row: Row | undefined): boolean =>
      row === undefined ||
      (!this.#kept.keys.has(key) && this.#rows.isHeldByOthers(key, this.#subsets))
    void this.#rows.until(key, isElsewhere).then(subset.close)
  }
}

const isFailed = (outcome: Outcome): outcome is FailedOutcome =>
  outcome.kind !== 'saved' && outcome.kind !== 'removed' && outcome.kind !== 'undone'
