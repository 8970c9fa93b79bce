import { EntiaError } from '../errors.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import type { StoredValue } from '../value/types.ts'
import type { StageSet } from './stage-set.ts'
import { writeError } from './write-errors.ts'

/** Identifies a record permanently. */
export interface RecordRef {
  readonly table: Table
  readonly slot: number
  readonly birth: number
}

/** The consequences of a removal by the `onDelete` rules. */
export interface Removal {
  /** The record itself, then those removed with it, nearest first. */
  readonly removed: readonly RecordRef[]
  /** Records that stay but lose a related entity, with the foreign key columns to set to null. */
  readonly emptied: readonly Emptied[]
  /** Relations with `restrict`, checked at the end of the transaction. */
  readonly restricted: readonly Restriction[]
}

interface Emptied {
  readonly record: RecordRef
  readonly ordinals: number[]
}

export interface Restriction {
  readonly relation: ToOneAttribute
  readonly key: Key
}

/**
 * Follows the `onDelete` rules from one record; cycles end at the first repeated record. Null where
 * it reaches more than `most` others. Cost O(records reached).
 */
export function removalOf(stages: StageSet, first: RecordRef, most: number): Removal | null {
  const removed: RecordRef[] = [first]
  const seen = new Set<number>([first.birth])
  const emptied = new Map<number, Emptied>()
  const restricted: Restriction[] = []
  for (let i = 0; i < removed.length; i++) {
    const { table, slot } = removed[i]
    for (const relation of table.model.incoming) {
      const key = stages.of(table).keyOf(slot)
      if (relation.onDelete === 'restrict') {
        restricted.push({ relation, key })
        continue
      }
      const { ordinal } = relation.foreignKey
      for (const record of referrersOf(stages, relation, key)) {
        // Some emptied records may be removed later, at most as many as are removed.
        if (removed.length - 1 > most || emptied.size > 2 * most) return null
        if (relation.onDelete === 'cascade') {
          if (!seen.has(record.birth)) removed.push(record)
          seen.add(record.birth)
        } else {
          entryOf(emptied, record.birth, () => ({ record, ordinals: [] })).ordinals.push(ordinal)
        }
      }
    }
  }
  const left = [...emptied.values()].filter(({ record }) => !seen.has(record.birth))
  return removed.length - 1 + left.length > most ? null : { removed, emptied: left, restricted }
}

/** A foreign key that may have no target. */
interface Dangling {
  readonly record: RecordRef
  readonly relation: ToOneAttribute
}

/** Relations that a transaction checks when it ends. */
export class References {
  readonly #stages: StageSet
  /** Foreign keys that had no target when they were written. */
  #dangling: Dangling[] | null = null
  #restrictions: Restriction[] | null = null

  constructor(stages: StageSet) {
    this.#stages = stages
  }

  /**
   * Notes a foreign key without target. Others need no note: the removal of a target finds its
   * referrers.
   */
  note(record: RecordRef, relation: ToOneAttribute): void {
    this.#dangling ??= []
    this.#dangling.push({ record, relation })
  }

  restrict(restrictions: readonly Restriction[]): void {
    if (restrictions.length === 0) return
    this.#restrictions ??= []
    for (const restriction of restrictions) this.#restrictions.push(restriction)
  }

  /** A position in the notes, for `danglingSince`. */
  mark(): number {
    return this.#dangling?.length ?? 0
  }

  /** The foreign keys noted after a mark that still have no target. */
  danglingSince(mark: number): (Dangling & Restriction)[] {
    const found: (Dangling & Restriction)[] = []
    for (const { record, relation } of this.#dangling?.slice(mark) ?? []) {
      const { table, slot, birth } = record
      const stage = this.#stages.of(table)
      if (!stage.isLive(slot, birth)) continue
      const key = stage.read(slot, relation.foreignKey.ordinal)
      if (key !== null && !hasTarget(this.#stages, relation, key))
        found.push({ record, relation, key: key as Key })
    }
    return found
  }

  /**
   * Throws `relationTargetMissing` or `removeRestricted` for the state that the writes so far
   * leave.
   */
  settle(): void {
    const stages = this.#stages
    for (const { relation, key } of this.danglingSince(0)) throw targetMissing(relation, key)
    for (const { relation, key } of this.#restrictions ?? []) {
      if (hasTarget(stages, relation, key) || referrersOf(stages, relation, key).length === 0)
        continue
      const by = `${relation.owner.name}.${relation.name}`
      throw writeError('removeRestricted', {
        dataClass: relation.target.name,
        key: String(key),
        by,
      })
    }
  }
}

export function targetMissing(relation: ToOneAttribute, key: StoredValue): EntiaError {
  return new EntiaError('relationTargetMissing', {
    dataClass: relation.owner.name,
    attribute: relation.name,
    target: relation.target.name,
    key: String(key),
  })
}

/** In a store that holds only some entities every key may have a target elsewhere. */
export function hasTarget(stages: StageSet, relation: ToOneAttribute, key: StoredValue): boolean {
  return stages.mayDangle || stages.of(stages.tables[relation.target.ordinal]).find(key) >= 0
}

function referrersOf(stages: StageSet, relation: ToOneAttribute, key: Key): RecordRef[] {
  const table = stages.tables[relation.owner.ordinal]
  const stage = stages.of(table)
  const slots = stage.referrersOf(relation.foreignKey.ordinal, key)
  return slots.map((slot) => ({ table, slot, birth: stage.birthOf(slot) }))
}
