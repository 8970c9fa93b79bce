import { EntiaError } from '../errors.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { StageSet } from './stage-set.ts'
import { writeError } from './write-errors.ts'

/** A record by what never changes about it. */
export interface RecordRef {
  readonly table: Table
  readonly slot: number
  readonly birth: number
}

/** What one removal leads to by the `onDelete` rules. */
export interface Removal {
  /** The record itself first, then what goes with it, nearest first. */
  readonly removed: readonly RecordRef[]
  /** Records that lose a related entity but stay, with the foreign key columns to empty. */
  readonly emptied: readonly { readonly record: RecordRef; readonly ordinals: number[] }[]
  /** Rules that forbid referrers; checked at the end of the transaction. */
  readonly restricted: readonly Restriction[]
}

export interface Restriction {
  readonly relation: ToOneAttribute
  readonly key: Key
}

/**
 * Follows the `onDelete` rules from one record; cycles end where they meet. Null where it reaches more than `most` others.
 * Cost O(records reached).
 */
export function removalOf(stages: StageSet, first: RecordRef, most: number): Removal | null {
  const removed: RecordRef[] = [first]
  const seen = new Set<number>([first.birth])
  const emptied = new Map<number, { readonly record: RecordRef; readonly ordinals: number[] }>()
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
        // What is emptied may be removed in the end: no more of it than is removed.
        if (removed.length - 1 > most || emptied.size > 2 * most) return null
        if (relation.onDelete === 'cascade') {
          if (!seen.has(record.birth)) removed.push(record)
          seen.add(record.birth)
        } else {
          const known = emptied.get(record.birth)
          if (known === undefined) emptied.set(record.birth, { record, ordinals: [ordinal] })
          else known.ordinals.push(ordinal)
        }
      }
    }
  }
  const left = [...emptied.values()].filter(({ record }) => !seen.has(record.birth))
  return removed.length - 1 + left.length > most ? null : { removed, emptied: left, restricted }
}

/** What a transaction has still to set right, or to be refused for, when it ends. */
export class References {
  readonly #stages: StageSet
  /** Foreign keys whose target was not there when they were written. */
  #dangling: { readonly record: RecordRef; readonly relation: ToOneAttribute }[] | null = null
  #restrictions: Restriction[] | null = null

  constructor(stages: StageSet) {
    this.#stages = stages
  }

  /** Notes a foreign key without target. One that has a target needs no note: the target's removal looks for referrers. */
  note(record: RecordRef, relation: ToOneAttribute): void {
    this.#dangling ??= []
    this.#dangling.push({ record, relation })
  }

  restrict(restrictions: readonly Restriction[]): void {
    if (restrictions.length === 0) return
    this.#restrictions ??= []
    for (const restriction of restrictions) this.#restrictions.push(restriction)
  }

  /** A place in the notes, for `danglingSince`. */
  mark(): number {
    return this.#dangling?.length ?? 0
  }

  /** What was noted after a mark and still has no target. */
  danglingSince(mark: number): { readonly record: RecordRef; readonly relation: ToOneAttribute; readonly key: Key }[] {
    const found: { readonly record: RecordRef; readonly relation: ToOneAttribute; readonly key: Key }[] = []
    for (const { record, relation } of this.#dangling?.slice(mark) ?? []) {
      const { table, slot, birth } = record
      const stage = this.#stages.of(table)
      if (!stage.isLive(slot, birth)) continue
      const key = stage.read(slot, relation.foreignKey.ordinal)
      if (key !== null && !hasTarget(this.#stages, relation, key)) found.push({ record, relation, key: key as Key })
    }
    return found
  }

  /** Throws `relationTargetMissing` or `removeRestricted` for what the writes so far leave behind. */
  settle(): void {
    const stages = this.#stages
    for (const { relation, key } of this.danglingSince(0)) throw targetMissing(relation, key)
    for (const { relation, key } of this.#restrictions ?? []) {
      if (hasTarget(stages, relation, key) || referrersOf(stages, relation, key).length === 0) continue
      const by = `${relation.owner.name}.${relation.name}`
      throw writeError('removeRestricted', { dataClass: relation.target.name, key: String(key), by })
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

export function hasTarget(stages: StageSet, relation: ToOneAttribute, key: StoredValue): boolean {
  return stages.of(stages.tables[relation.target.ordinal]).find(key) >= 0
}

function referrersOf(stages: StageSet, relation: ToOneAttribute, key: Key): RecordRef[] {
  const table = stages.tables[relation.owner.ordinal]
  const stage = stages.of(table)
  const slots = stage.referrersOf(relation.foreignKey.ordinal, key)
  return slots.map((slot) => ({ table, slot, birth: stage.birthOf(slot) }))
}
