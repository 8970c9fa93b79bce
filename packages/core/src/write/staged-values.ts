import type { AttributeIndex } from '../storage/attribute-index.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'

/**
 * The sum of a transaction's writes to one record.
 *
 *     before \ write   insert     update            remove
 *     (nothing)        insert     update            remove
 *     insert           -          insert, merged    void (no effect)
 *     update           -          update, merged    remove
 *     remove           insert, as a new record  -
 */
export interface StagedRecord {
  kind: 'insert' | 'update' | 'remove' | 'void'
  readonly table: Table
  readonly slot: number
  /** Place in the list of staged records. */
  readonly place: number
  /** Only of an insertion. */
  readonly key: Key | null
  /** Of an update: the columns it writes. */
  ordinals: readonly number[]
  /** Of an update: by place in `ordinals`; of an insertion: by column. */
  values: StoredValue[]
  /** After the write. */
  stamp: number
  /** Only of an insertion. The table has the births of other records. */
  readonly birth: number
  /** The staged removal whose slot an insertion uses. */
  readonly under: StagedRecord | null
}

/**
 * The unique values and the foreign keys that are staged for one table, by value. Its maps are
 * created when first needed: most transactions write one record.
 */
export class StagedValues {
  readonly #table: Table
  /** The staged records of all tables. */
  readonly #records: readonly StagedRecord[]
  /** By column: hash of a staged unique value -> record number. */
  #unique: (Map<string | number | boolean, number> | undefined)[] | null = null
  /**
   * By column of a foreign key: staged value -> record numbers. Created by the first removal that
   * needs it.
   */
  #referrers: (Map<Key, Set<number>> | undefined)[] | null = null

  constructor(table: Table, records: readonly StagedRecord[]) {
    this.#table = table
    this.#records = records
  }

  clear(): void {
    this.#unique = null
    this.#referrers = null
  }

  /** True while staged foreign keys are tracked. */
  get hasReferrers(): boolean {
    return this.#referrers !== null
  }

  /** Adds a staged value. */
  enter(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const index = this.#table.indexes[ordinal] as AttributeIndex
    if (index.unique !== null) {
      this.#unique ??= []
      const unique = (this.#unique[ordinal] ??= new Map())
      unique.set(index.uniqueKey(value), slot)
    }
    if (this.#referrers !== null) enterSet(this.#referrers[ordinal], value as Key, slot)
  }

  /** Drops a staged value. Has no effect on a value that is only in the table. */
  leave(slot: number, ordinal: number, value: StoredValue): void {
    if (value === null) return
    const unique = this.#unique?.[ordinal]
    if (unique !== undefined) {
      const hash = (this.#table.indexes[ordinal] as AttributeIndex).uniqueKey(value)
      if (unique.get(hash) === slot) unique.delete(hash)
    }
    this.#referrers?.[ordinal]?.get(value as Key)?.delete(slot)
  }

  /** Drops all staged values of a record. */
  leaveAll(staged: StagedRecord): void {
    if (staged.kind === 'insert') {
      for (let ordinal = 0; ordinal < staged.values.length; ordinal++)
        this.leave(staged.slot, ordinal, staged.values[ordinal])
    } else {
      for (let i = 0; i < staged.ordinals.length; i++)
        this.leave(staged.slot, staged.ordinals[i], staged.values[i])
    }
  }

  /** The record that holds a staged unique value, by its hash. */
  holderOf(ordinal: number, hash: string | number | boolean): number | undefined {
    return this.#unique?.[ordinal]?.get(hash)
  }

  /** The records that hold a staged foreign key. Cost: O(stage) the first time. */
  referrersOf(ordinal: number, key: Key): ReadonlySet<number> | undefined {
    return this.#referrersIn(ordinal).get(key)
  }

  #referrersIn(ordinal: number): Map<Key, Set<number>> {
    this.#referrers ??= []
    const known = this.#referrers[ordinal]
    if (known !== undefined) return known
    const made = new Map<Key, Set<number>>()
    this.#referrers[ordinal] = made
    for (const record of this.#records) {
      if (record.table !== this.#table) continue
      const place = record.kind === 'insert' ? ordinal : record.ordinals.indexOf(ordinal)
      const value = place < 0 ? null : record.values[place]
      if (value !== null) enterSet(made, value as Key, record.slot)
    }
    return made
  }
}

function enterSet(sets: Map<Key, Set<number>> | undefined, value: Key, slot: number): void {
  if (sets === undefined) return
  const set = sets.get(value)
  if (set === undefined) sets.set(value, new Set([slot]))
  else set.add(slot)
}
