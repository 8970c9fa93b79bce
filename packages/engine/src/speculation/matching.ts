import {
  type AttributeIndex,
  type ClassModel,
  type Database,
  type DeferredSet,
  EMPTY_SET,
  type Key,
  type Matching,
  type OrderTerm,
  type Predicate,
  predicateFilter,
  type RelatedPredicate,
  type SparseSet,
  type StorageAttribute,
  type StoredValue,
  sortSlots,
  sparseSet,
  type Test,
  textKey,
} from '@entia/core/internal'
import { DeferredMembers } from './deferred-members.ts'
import { type Answers, type Knowledge, storedBound } from './knowledge.ts'
import { NotLoaded, type Window } from './missing.ts'
import { guessedAfter, type WorkingTable } from './working-table.ts'

/**
 * Windows of selections that one decision fetches, each in a run of its own, and their length.
 * Code that reads more probably reads all: then it is loaded at once.
 */
const MAX_WINDOWS = 4
const MAX_WINDOW = 10_000

/** True for the order of an attribute, without a property, that the database keeps. */
const isStored = ({ attribute, properties }: OrderTerm): boolean =>
  attribute.kind === 'storage' && properties.length === 0

/**
 * The records that a predicate selects: those that it selects in the database, except the ones that
 * writes of the run may have changed, which are tested one by one. A written record may affect
 * others through relations of the predicate; these are found from it. What the database cannot
 * answer, such as computed attributes, is tested on what the rest of the predicate leaves. Cost:
 * O(records selected and affected).
 */
export class WorkingMatching implements Matching {
  readonly #knowledge: Knowledge
  readonly #tables: readonly WorkingTable[]
  readonly #answers: Answers

  /** `tables`: by `ClassModel.ordinal`. */
  constructor(knowledge: Knowledge, tables: readonly WorkingTable[], answers: Answers) {
    this.#knowledge = knowledge
    this.#tables = tables
    this.#answers = answers
  }

  find(dataClass: ClassModel, predicate: Predicate, database: Database): SparseSet {
    const bound = storedBound(predicate, this.#answers)
    const slots = this.#stored(dataClass, bound, database)
    const table = this.#tables[dataClass.ordinal]
    const isExact = bound === predicate
    const found = isExact ? slots : this.#tested(table, slots, predicate, database)
    return sparseSet(Int32Array.from(found).sort())
  }

  /** Found at once where that takes no question to the database. */
  members(dataClass: ClassModel, predicate: Predicate, database: Database): DeferredSet {
    const table = this.#tables[dataClass.ordinal]
    const found = new DeferredMembers(this, this.#knowledge, table, predicate, database)
    if (this.#isKnown(dataClass, storedBound(predicate, this.#answers))) void found.set
    return found
  }

  page(
    dataClass: ClassModel,
    predicate: Predicate,
    { orderBy, skip, top }: Window,
    database: Database,
  ): Int32Array | null {
    if (top > MAX_WINDOW || storedBound(predicate, this.#answers) !== predicate) return null
    const terms = orderBy ?? []
    if (!terms.every(isStored)) return null
    const isOwn = terms.every(({ steps }) => steps.length === 0)
    const related = terms.flatMap(({ steps }) => steps.map(({ target }) => target))
    if (related.some(({ ordinal }) => this.#tables[ordinal].written.size > 0)) return null
    const affected = this.#affected(dataClass, predicate)
    if (affected.size > 0 && !isOwn) return null
    // Written records are taken out of what the database has, and put into their places.
    const isChanged = affected.size > 0
    const window = isChanged
      ? { orderBy, skip: 0, top: skip + top + affected.size }
      : { orderBy, skip, top }
    const records = this.#knowledge.matchesOf(dataClass, predicate, window)
    if (records === null) {
      if (this.#knowledge.windows >= MAX_WINDOWS) return null
      this.#knowledge.lack({ kind: 'matches', dataClass, predicate, window })
      throw new NotLoaded()
    }
    const table = this.#tables[dataClass.ordinal]
    const found = records.map((record) => table.slotOf(record))
    if (!isChanged) return Int32Array.from(found)
    const kept = found.filter((slot) => !affected.has(slot))
    const slots = Int32Array.from([...kept, ...this.#tested(table, affected, predicate, database)])
    return sortSlots(database, table, slots.sort(), terms).slice(skip, skip + top)
  }

  /** Notes that the records which a predicate selects must be found as soon as it is asked. */
  lack(dataClass: ClassModel, predicate: Predicate): never {
    const bound = storedBound(predicate, this.#answers)
    this.#knowledge.lack({ kind: 'matches', dataClass, predicate: bound })
    throw new NotLoaded()
  }

  /** True for what few records or known facts answer. */
  #isKnown(dataClass: ClassModel, predicate: Predicate): boolean {
    if (predicate.kind === 'constant' && !predicate.value) return true
    if (predicate.kind === 'compare' && predicate.test.op === 'equal') {
      const { attribute, test } = predicate
      if (attribute.key || attribute.unique) return true
      const key = attribute.relation === null ? null : storedOf(attribute, test)
      if (key !== null && this.#knowledge.hasReferrers(attribute.relation!, key as Key)) return true
    }
    return this.#knowledge.matchesOf(dataClass, predicate) !== null
  }

  /** The records that a predicate selects which the database can answer, in any order. */
  #stored(dataClass: ClassModel, predicate: Predicate, database: Database): Iterable<number> {
    if (predicate.kind === 'constant' && !predicate.value) return EMPTY_SET.slots
    const table = this.#tables[dataClass.ordinal]
    const points = this.#points(table, predicate)
    if (points !== null) {
      const isAll = predicate.kind === 'compare'
      return isAll ? points : this.#tested(table, points, predicate, database)
    }
    const records = this.#knowledge.matchesOf(dataClass, predicate)
    if (records === null) {
      this.#lackMatches(dataClass, predicate)
      throw new NotLoaded()
    }
    const affected = this.#affected(dataClass, predicate)
    const found: number[] = []
    for (const record of records) {
      const slot = table.slotOf(record)
      if (!affected.has(slot)) found.push(slot)
    }
    if (affected.size === 0) return found
    return found.concat(this.#tested(table, affected, predicate, database))
  }

  /**
   * Notes that related entities under further conditions are missing, such as those of a reader
   * with hidden entities; also those of neighbouring entities. See
   * `WorkingTable.needNextReferrers`.
   */
  #lackMatches(dataClass: ClassModel, predicate: Predicate): void {
    this.#knowledge.lack({ kind: 'matches', dataClass, predicate })
    const related = relatedTo(predicate)
    if (related === null) return
    let known = 0
    const unknown: Predicate[] = []
    for (const key of this.#tables[dataClass.ordinal].keysAround(related.target, related.key)) {
      const other = related.ofKey(key)
      if (this.#knowledge.matchesOf(dataClass, other) === null) unknown.push(other)
      else known++
    }
    for (const other of unknown.slice(0, guessedAfter(known)))
      this.#knowledge.lack({ kind: 'matches', dataClass, predicate: other })
  }

  /** The living ones of some records that satisfy a predicate. All that are unknown are noted. */
  #tested(
    table: WorkingTable,
    slots: Iterable<number>,
    predicate: Predicate,
    database: Database,
  ): number[] {
    const { asked } = this.#knowledge
    const { test } = predicateFilter(database, table, predicate)
    const found: number[] = []
    for (const slot of slots) {
      try {
        if (table.isLive(slot) && test(slot)) found.push(slot)
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error
      }
    }
    this.#mustKnow(asked)
    return found
  }

  /** The records that a key, a unique value or a relation leads to; null for other predicates. */
  #points(table: WorkingTable, predicate: Predicate): readonly number[] | null {
    if (predicate.kind === 'and') {
      for (const part of predicate.parts) {
        const isOne = part.kind === 'compare' && (part.attribute.key || part.attribute.unique)
        const points = isOne ? this.#points(table, part) : null
        if (points !== null) return points
      }
      return null
    }
    if (predicate.kind !== 'compare' || predicate.test.op !== 'equal') return null
    const { attribute, test } = predicate
    const value = storedOf(attribute, test)
    if (value === null) return null
    if (attribute.key) return this.#keyed(table, value)
    if (attribute.unique) return this.#held(table, attribute, value)
    if (attribute.relation === null) return null
    const { asked } = this.#knowledge
    const key = value as Key
    table.needNextReferrers(attribute.ordinal, key)
    table.needReferrers(attribute.ordinal, key)
    this.#mustKnow(asked)
    return (table.indexes[attribute.ordinal] as AttributeIndex).recordsOf(key)
  }
  #keyed(table: WorkingTable, key: StoredValue): readonly number[] {
    const slot = table.findKey(key)
    return slot < 0 ? [] : [slot]
  }
  #held(table: WorkingTable, { ordinal }: StorageAttribute, value: StoredValue): readonly number[] {
    const { asked } = this.#knowledge
    table.needHolder(ordinal, value)
    this.#mustKnow(asked)
    const slot = (table.indexes[ordinal] as AttributeIndex).holderOf(value)
    return slot < 0 ? [] : [slot]
  }
  /** Throws if something unknown was looked up since `asked`. */
  #mustKnow(asked: number): void {
    if (this.#knowledge.asked !== asked) throw new NotLoaded()
  }

  /** The records that writes of the run may have moved into what a predicate selects, or out. */
  #affected(dataClass: ClassModel, predicate: Predicate): Set<number> {
    const table = this.#tables[dataClass.ordinal]
    const found = new Set(table.written.keys())
    this.#addAffected(table, predicate, found)
    return found
  }
  #addAffected(table: WorkingTable, predicate: Predicate, found: Set<number>): void {
    switch (predicate.kind) {
      case 'and':
      case 'or':
        for (const part of predicate.parts) this.#addAffected(table, part, found)
        return
      case 'not':
        this.#addAffected(table, predicate.part, found)
        return
      case 'related':
        this.#addThrough(table, predicate, found)
    }
  }
  #addThrough(table: WorkingTable, { relation, part }: RelatedPredicate, found: Set<number>): void {
    const { asked } = this.#knowledge
    const target = this.#tables[relation.target.ordinal]
    for (const slot of this.#affected(relation.target, part)) {
      if (relation.kind === 'relatedEntity') {
        const { ordinal } = relation.foreignKey
        const key =
          target.written.get(slot)?.key ?? (target.read(slot, target.model.key.ordinal) as Key)
        table.needReferrers(ordinal, key)
        for (const referrer of (table.indexes[ordinal] as AttributeIndex).recordsOf(key))
          found.add(referrer)
      } else {
        const { ordinal } = relation.inverse.foreignKey
        this.#addKeyed(table, target.read(slot, ordinal), found)
        this.#addKeyed(table, target.rowAt(slot)?.values[ordinal] ?? null, found)
      }
    }
    this.#mustKnow(asked)
  }
  #addKeyed(table: WorkingTable, key: StoredValue, found: Set<number>): void {
    const slot = table.probeKey(key)
    if (slot >= 0) found.add(slot)
  }
}

/** That a predicate selects what refers to one entity, and the same predicate for another one. */
interface RelatedTo {
  readonly target: ClassModel
  readonly key: Key
  ofKey(key: Key): Predicate
}

/** Null unless a part of a conjunction demands one value of a foreign key. */
function relatedTo(predicate: Predicate): RelatedTo | null {
  if (predicate.kind !== 'and') return null
  for (const part of predicate.parts) {
    if (part.kind !== 'compare' || part.test.op !== 'equal') continue
    const { attribute, test } = part
    const value = attribute.relation === null ? null : storedOf(attribute, test)
    if (value === null) continue
    const ofKey = (key: Key): Predicate => {
      const of = typeof key === 'string' ? textKey(key, attribute.collation) : key
      const equal = { ...part, test: { ...test, value: of, spelling: key } }
      return { ...predicate, parts: predicate.parts.map((each) => (each === part ? equal : each)) }
    }
    return { target: attribute.relation!.target, key: value as Key, ofKey }
  }
  return null
}

/**
 * The stored value that an equality compares with; null for a text that is not compared by its own
 * key.
 */
function storedOf(
  { collation }: StorageAttribute,
  { value, spelling }: Extract<Test, { readonly op: 'equal' | 'notEqual' }>,
): StoredValue {
  if (typeof value !== 'string') return value
  return typeof spelling === 'string' && textKey(spelling, collation) === value ? spelling : null
}
