import {
  both,
  type Catalog,
  type ClassModel,
  type ComparePredicate,
  either,
  hashKey,
  type Key,
  MemoKeys,
  type Predicate,
  type PropertyPredicate,
  readsOf,
  type StorageAttribute,
  type StoredValue,
  type ToOneAttribute,
  textKey,
} from '@entia/core/internal'
import type { WorkingCommit, WorkingReads } from './effects.ts'
import type { Found, Missing, Window, WorkingRow } from './missing.ts'

/** What is known of the database about one dataclass. */
interface ClassKnowledge {
  /** By record number. */
  readonly rows: Map<number, WorkingRow>
  /** Hashes of keys whose entity is known, or known to be absent. */
  readonly keys: Set<Key>
  /** Record number by the hash of a key. */
  readonly records: Map<Key, number>
  /** The attributes with unique values. */
  readonly unique: readonly StorageAttribute[]
  /** By column: hashes of unique values whose holder is known. */
  readonly holders: Set<string | number | boolean>[]
  /** By column: hashes of foreign keys whose referrers are all known. */
  readonly referrers: Set<Key>[]
  /** The next number of a sequence that waits for this decision; null if it is not known. */
  next: number | null
  /** The numbers that were drawn for this decision, ascending. */
  numbers: readonly number[]
}

/**
 * The facts of the database that a decision has, and those that it lacks. Facts stay when a run is
 * discarded; missing facts stay until `take`.
 */
export class Knowledge {
  readonly #classes: readonly ClassKnowledge[]
  readonly #missing = new Map<string, Missing>()
  /** Counts the look-ups of unknown things, so that a read can tell whether it made one. */
  asked = 0
  /** Counts the records that runs have written, so that a read can tell whether one was. */
  writes = 0
  #memoKeys = new MemoKeys()
  /**
   * Record numbers of the entities that a predicate selects, by dataclass and predicate as text.
   */
  readonly #matches = new Map<string, readonly number[]>()
  /** Windows that were found. */
  windows = 0
  /** Dataclasses that a predicate was asked about. */
  readonly #queried = new Set<ClassModel>()
  /** Facts about keys and values that no entity answers for: by their names. */
  readonly #unheld = new Map<string, Missing>()

  constructor(catalog: Catalog) {
    this.#classes = catalog.classes.map(({ storage }) => ({
      rows: new Map(),
      keys: new Set(),
      records: new Map(),
      unique: storage.filter(({ unique }) => unique),
      holders: storage.map(() => new Set()),
      referrers: storage.map(() => new Set()),
      next: null,
      numbers: [],
    }))
  }

  get missing(): readonly Missing[] {
    return [...this.#missing.values()]
  }

  rowsOf({ ordinal }: ClassModel): ReadonlyMap<number, WorkingRow> {
    return this.#classes[ordinal].rows
  }
  nextOf({ ordinal }: ClassModel): number | null {
    return this.#classes[ordinal].next
  }
  /** The numbers that were drawn for this decision, ascending; empty if `nextOf` knows. */
  numbersOf({ ordinal }: ClassModel): readonly number[] {
    return this.#classes[ordinal].numbers
  }

  /** True if the entity with a key is known, or known to be absent. */
  hasKey({ ordinal, key: attribute }: ClassModel, key: Key): boolean {
    const { keys, next, numbers } = this.#classes[ordinal]
    // The sequence is beyond every number in use.
    if (attribute.autoSequence && next !== null && typeof key === 'number' && key >= next)
      return true
    return keys.has(hashKey(key)) || numbers.includes(key as number)
  }
  hasHolder({ owner, ordinal, collation }: StorageAttribute, value: StoredValue): boolean {
    return this.#classes[owner.ordinal].holders[ordinal].has(uniqueHash(value, collation))
  }
  /** Nothing refers to an entity that is known to be absent. */
  hasReferrers({ owner, foreignKey, target }: ToOneAttribute, key: Key): boolean {
    const hash = hashKey(key)
    if (this.#classes[owner.ordinal].referrers[foreignKey.ordinal].has(hash)) return true
    return this.hasKey(target, key) && !this.#classes[target.ordinal].records.has(hash)
  }
  /** How many entities all referrers are known of. */
  countOfReferrers({ owner, foreignKey }: ToOneAttribute): number {
    return this.#classes[owner.ordinal].referrers[foreignKey.ordinal].size
  }
  hasSequence({ ordinal }: ClassModel): boolean {
    const { next, numbers } = this.#classes[ordinal]
    return next !== null || numbers.length > 0
  }
  /**
   * The record numbers of the entities that a predicate selects in the database; null if unknown.
   */
  matchesOf(
    dataClass: ClassModel,
    predicate: Predicate,
    window?: Window,
  ): readonly number[] | null {
    return this.#matches.get(this.#textOf(dataClass, predicate, window)) ?? null
  }

  /** Notes something unknown; the run must be discarded. */
  lack(missing: Missing): void {
    this.asked++
    this.#missing.set(this.#nameOf(missing), missing)
  }

  /** Dataclasses that a predicate was asked about. */
  get queried(): ReadonlySet<ClassModel> {
    return this.#queried
  }

  /** Takes facts of the database. Nothing is missing afterwards. */
  add(found: readonly Found[]): void {
    for (const each of found) this.#add(each)
    this.#missing.clear()
  }

  /**
   * What the commits depend on. A dataclass does not count as queried for what the database guards
   * by itself: entities that were found, unique values and keys that the commits write themselves,
   * and referrers of entities that they remove. Cost: O(facts + changes).
   */
  reads(commits: readonly WorkingCommit[]): WorkingReads {
    const queried = new Set(this.#queried)
    if (this.#unheld.size === 0) return { queried }
    const { written, removed } = this.#guarded(commits)
    for (const [name, fact] of this.#unheld)
      switch (fact.kind) {
        case 'entity':
          if (!written.has(name)) queried.add(fact.dataClass)
          break
        case 'holder':
          if (!written.has(name)) queried.add(fact.attribute.owner)
          break
        case 'referrers': {
          const { owner, target } = fact.relation
          if (!removed.has(this.#keyName(target, fact.key))) queried.add(owner)
        }
      }
    return { queried }
  }

  /** Names of the keys and unique values that commits write, and of the keys that they remove. */
  #guarded(commits: readonly WorkingCommit[]): {
    readonly written: ReadonlySet<string>
    readonly removed: ReadonlySet<string>
  } {
    const written = new Set<string>()
    const removed = new Set<string>()
    for (const { dataClass, kind, key, after } of commits.flatMap(({ changes }) => changes)) {
      if (kind === 'insert') written.add(this.#keyName(dataClass, key))
      if (kind === 'remove') removed.add(this.#keyName(dataClass, key))
      for (const attribute of after === null ? [] : dataClass.storage) {
        const value = after![attribute.ordinal]
        if (attribute.unique && value !== null && value !== undefined)
          written.add(this.#nameOf({ kind: 'holder', attribute, value }))
      }
    }
    return { written, removed }
  }

  #keyName(dataClass: ClassModel, key: Key): string {
    return this.#nameOf({ kind: 'entity', dataClass, key })
  }

  forget(): void {
    for (const known of this.#classes) {
      known.next = null
      known.numbers = []
      known.holders.forEach(empty)
      known.referrers.forEach(empty)
      if (known.keys.size === 0) continue
      known.rows.clear()
      known.keys.clear()
      known.records.clear()
    }
    if (this.#matches.size > 0) {
      this.#matches.clear()
      this.#memoKeys = new MemoKeys()
    }
    this.windows = 0
    this.#missing.clear()
    this.#queried.clear()
    this.#unheld.clear()
  }

  #add(found: Found): void {
    if (!('rows' in found)) {
      const known = this.#classes[found.missing.dataClass.ordinal]
      if ('next' in found) known.next = found.next
      else {
        const last = known.numbers.at(-1) ?? 0
        known.numbers = [...known.numbers, ...found.numbers.filter((number) => number > last)]
      }
      return
    }
    const { missing, rows } = found
    for (const row of rows) this.#addRow(row)
    switch (missing.kind) {
      case 'entity':
        this.#classes[missing.dataClass.ordinal].keys.add(hashKey(missing.key))
        if (rows.length === 0) this.#unheld.set(this.#nameOf(missing), missing)
        return
      case 'holder': {
        const { owner, ordinal, collation } = missing.attribute
        this.#classes[owner.ordinal].holders[ordinal].add(uniqueHash(missing.value, collation))
        if (rows.length === 0) this.#unheld.set(this.#nameOf(missing), missing)
        return
      }
      case 'referrers': {
        const { owner, foreignKey } = missing.relation
        this.#classes[owner.ordinal].referrers[foreignKey.ordinal].add(hashKey(missing.key))
        this.#unheld.set(this.#nameOf(missing), missing)
        return
      }
      case 'matches': {
        const { dataClass, predicate, window } = missing
        const records = rows.map(({ record }) => record)
        this.#matches.set(this.#textOf(dataClass, predicate, window), records)
        this.#queried.add(dataClass)
        // No attribute of a missing fact is computed.
        for (const target of readsOf(predicate) ?? []) this.#queried.add(target)
        if (window === undefined) return
        this.windows++
        for (const { steps } of window.orderBy ?? [])
          for (const { target } of steps) this.#queried.add(target)
      }
    }
  }

  #addRow(row: WorkingRow): void {
    const { key: keyAttribute, ordinal } = row.dataClass
    const known = this.#classes[ordinal]
    const key = row.values[keyAttribute.ordinal] as Key
    const hash = hashKey(key)
    known.rows.set(row.record, row)
    known.keys.add(hash)
    known.records.set(hash, row.record)
    for (const { ordinal: column, collation } of known.unique) {
      const value = row.values[column]
      if (value !== null) known.holders[column].add(uniqueHash(value, collation))
    }
  }

  #textOf(dataClass: ClassModel, predicate: Predicate, window?: Window): string {
    return this.#memoKeys.textOf([dataClass.ordinal, predicate, window ?? null])
  }
  #nameOf(missing: Missing): string {
    switch (missing.kind) {
      case 'entity':
        return this.#memoKeys.textOf(['entity', missing.dataClass, hashKey(missing.key)])
      case 'holder': {
        const { attribute, value } = missing
        return this.#memoKeys.textOf(['holder', attribute, uniqueHash(value, attribute.collation)])
      }
      case 'referrers':
        return this.#memoKeys.textOf(['referrers', missing.relation, hashKey(missing.key)])
      case 'matches':
        return `matches ${this.#textOf(missing.dataClass, missing.predicate, missing.window)}`
      case 'sequence':
        return this.#memoKeys.textOf(['sequence', missing.dataClass])
    }
  }
}

function empty(set: Set<unknown>): void {
  if (set.size > 0) set.clear()
}

/** Unique values are compared as their index compares them. */
const uniqueHash = (
  value: StoredValue,
  collation: StorageAttribute['collation'],
): string | number | boolean =>
  typeof value === 'string' ? textKey(value, collation) : (value as number | boolean)

/** Tells whether the other storage can answer a comparison of stored values. */
export type Answers = (comparison: ComparePredicate | PropertyPredicate) => boolean

/**
 * A predicate that the other storage can answer, without computed attributes, and that selects at
 * least what the given one does; with `isUpper` false, at most. The same object if all of it can be
 * answered.
 */
export function storedBound(predicate: Predicate, answers: Answers, isUpper = true): Predicate {
  switch (predicate.kind) {
    case 'compare':
    case 'property':
      return answers(predicate) ? predicate : { kind: 'constant', value: isUpper }
    case 'computed':
      return { kind: 'constant', value: isUpper }
    case 'not': {
      const part = storedBound(predicate.part, answers, !isUpper)
      if (part === predicate.part) return predicate
      return part.kind === 'constant'
        ? { kind: 'constant', value: !part.value }
        : { kind: 'not', part }
    }
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => storedBound(part, answers, isUpper))
      if (parts.every((part, i) => part === predicate.parts[i])) return predicate
      return predicate.kind === 'and' ? both(parts) : either(parts)
    }
    case 'related': {
      const part = storedBound(predicate.part, answers, isUpper)
      return part === predicate.part ? predicate : { ...predicate, part }
    }
    default:
      return predicate
  }
}
