import type { Database } from '../execute/database.ts'
import type { RecordTest, RecordView } from '../execute/record-test.ts'
import type {
  ClassModel,
  RelationAttribute,
  StorageAttribute,
  ToManyAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import type { PastRecord } from '../storage/history.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import type { StoredValue } from '../value/types.ts'
import { type TableChange, touchedOf } from './live-change.ts'

type Key = string | number
/** The way from the records of a query to others. */
export interface Way {
  /** The relations from the query's own records; empty for these. */
  readonly path: readonly RelationAttribute[]
  /** What decides whether the way leads through the records of a step; empty if nothing does. */
  readonly rules: readonly (StepRule | undefined)[]
}

/** A row rule of the caller, for the records that one step of a path leads to. */
export interface StepRule {
  readonly test: RecordTest
  /**
   * The way leads on to what the rule reads: only records that the commit hides or makes visible
   * matter. Otherwise those matter that are visible before it or after it.
   */
  readonly mustTurn: boolean
}

/** Returns every changed record of a table as it was before. */
export type PastOf = (table: Table) => ReadonlyMap<number, PastRecord>

/**
 * The changes of the newest commit, or of all commits since an older one: records as they are and
 * as they were before. The changes of a table are computed at their first use. Valid until the next
 * commit.
 */
export class LiveCommit {
  readonly #database: Database
  readonly #pastOf: PastOf
  readonly #changes = new Map<Table, TableChange>()
  /** Of the record that was asked for last. */
  #views: RecordViews | null = null
  /** Changed records by the keys that they had before. */
  #slotsBefore: Map<Table, Map<Key, number>> | null = null
  #referrers: Map<ToOneAttribute, Map<number, readonly number[]>> | null = null
  /** By relation: changed records by the foreign key that they had before. */
  #referrersBefore: Map<ToOneAttribute, Map<Key, number[]>> | null = null

  constructor(database: Database, pastOf: PastOf) {
    this.#database = database
    this.#pastOf = pastOf
  }

  tableOf(dataClass: ClassModel): Table {
    return this.#database.tableOf(dataClass)
  }

  /** Cost: O(changes) the first time. */
  changeOf(table: Table): TableChange {
    return entryOf(this.#changes, table, () => {
      const past = this.#pastOf(table)
      return { touched: touchedOf(table, past), past }
    })
  }

  /** The record as it is; null if there is none. */
  now(table: Table, slot: number): RecordView | null {
    return this.viewsOf(table, slot).now
  }
  /** The record as it was; null if there was none. */
  before(table: Table, slot: number): RecordView | null {
    return this.viewsOf(table, slot).before
  }

  /** Both. Many queries ask for the same record, one after the other. */
  viewsOf(table: Table, slot: number): RecordViews {
    const last = this.#views
    if (last?.slot === slot && last.table === table) return last
    const past = this.changeOf(table).past.get(slot)
    const isLive = table.isLive(slot)
    const existed = past === undefined ? isLive : past.existed
    return (this.#views = {
      table,
      slot,
      now: isLive ? new RecordAt(this, table, slot, false) : null,
      before: existed ? new RecordAt(this, table, slot, true, past) : null,
    })
  }

  /** The record that had a key before, or -1. */
  findBefore(table: Table, key: Key): number {
    const { touched, past } = this.changeOf(table)
    const slot = table.findKey(key)
    if (slot >= 0 && (!past.has(slot) || touched.get(slot) === key)) return slot
    // The record was written without a change.
    if (slot >= 0 && !touched.has(slot)) return slot
    this.#slotsBefore ??= new Map()
    const slots = entryOf(this.#slotsBefore, table, () => {
      const slots = new Map<Key, number>()
      for (const [other, had] of touched) if (had !== null) slots.set(had, other)
      return slots
    })
    return slots.get(key) ?? -1
  }

  /**
   * True if a record was inserted, removed, or has a new value in one of the columns; null means
   * any column.
   */
  isChangedIn(table: Table, slot: number, columns: ReadonlySet<number> | null): boolean {
    const { touched, past } = this.changeOf(table)
    if (!touched.has(slot)) return false
    const before = past.get(slot)
    if (columns === null || before?.existed !== true) return true
    if (!table.isLive(slot) || table.births[slot] !== before.birth) return true
    for (const ordinal of before.values.keys()) if (columns.has(ordinal)) return true
    return false
  }

  /**
   * Records whose to-one relation leads to a record, by the key that it has or had. A foreign key
   * always has posting lists, so the first call costs O(result).
   */
  referrersOf(relation: ToOneAttribute, slot: number): readonly number[] {
    this.#referrers ??= new Map()
    const bySlot = entryOf(this.#referrers, relation, () => new Map())
    return entryOf(bySlot, slot, () => this.#findReferrers(relation, slot))
  }

  /** Records from which a way leads to a record. Cost: O(result). */
  sourcesOf({ path, rules }: Way, slot: number): readonly number[] {
    let slots: readonly number[] = [slot]
    for (let i = path.length - 1; i >= 0; i--) {
      const rule = rules[i]
      const table = this.tableOf(path[i].target)
      const open =
        rule === undefined ? slots : slots.filter((at) => this.#leadsThrough(rule, table, at))
      slots = open.flatMap((at) => this.#sourcesOfStep(path[i], at))
    }
    return slots
  }

  #leadsThrough({ test, mustTurn }: StepRule, table: Table, slot: number): boolean {
    const [before, now] = [this.before(table, slot), this.now(table, slot)]
    const was = before !== null && test(before)
    const is = now !== null && test(now)
    return mustTurn ? was !== is : was || is
  }

  #sourcesOfStep(relation: RelationAttribute, slot: number): readonly number[] {
    return relation.kind === 'relatedEntity'
      ? this.referrersOf(relation, slot)
      : this.#ownersOf(relation, slot)
  }

  /** Records whose to-many relation leads to a record, by the foreign key that it has or had. */
  #ownersOf({ inverse }: ToManyAttribute, slot: number): readonly number[] {
    const [table, owners] = [this.tableOf(inverse.owner), this.tableOf(inverse.target)]
    const { ordinal } = inverse.foreignKey
    const now = this.now(table, slot)?.read(ordinal) ?? null
    const before = this.before(table, slot)?.read(ordinal) ?? null
    const found = new Set<number>()
    if (now !== null) found.add(owners.findKey(now))
    if (before !== null) found.add(this.findBefore(owners, before as Key))
    return [...found].filter((owner) => owner >= 0)
  }

  /**
   * True if a record that refers to a key passes the test, as records are or as they were. Cost:
   * O(records that refer to it), up to the first that passes.
   */
  some(relation: ToOneAttribute, key: Key, test: RecordTest, isBefore: boolean): boolean {
    const { owner, foreignKey } = relation
    const table = this.tableOf(owner)
    const passes = (slot: number, past?: PastRecord): boolean =>
      test(new RecordAt(this, table, slot, isBefore, past))
    if (!isBefore) return somePosted(table, foreignKey, key, (slot) => passes(slot))
    const { past } = this.changeOf(table)
    for (const slot of this.#changedReferrers(relation).get(key) ?? [])
      if (passes(slot, past.get(slot))) return true
    return somePosted(table, foreignKey, key, (slot) => !past.has(slot) && passes(slot))
  }

  /** Changed records by the foreign key that they had. Cost: O(changes) the first time. */
  #changedReferrers(relation: ToOneAttribute): ReadonlyMap<Key, readonly number[]> {
    this.#referrersBefore ??= new Map()
    return entryOf(this.#referrersBefore, relation, () => {
      const { owner, foreignKey } = relation
      const byKey = new Map<Key, number[]>()
      const table = this.tableOf(owner)
      for (const slot of this.changeOf(table).past.keys()) {
        const key = this.before(table, slot)?.read(foreignKey.ordinal) ?? null
        if (key !== null) entryOf(byKey, key as Key, () => []).push(slot)
      }
      return byKey
    })
  }

  #findReferrers(relation: ToOneAttribute, slot: number): readonly number[] {
    const { owner, target, foreignKey } = relation
    const table = this.tableOf(target)
    const keys = new Set<Key>()
    if (table.isLive(slot)) keys.add(table.read(slot, target.key.ordinal) as Key)
    const had = this.changeOf(table).touched.get(slot)
    if (had !== undefined && had !== null) keys.add(had)
    const index = this.tableOf(owner).indexes[foreignKey.ordinal] as AttributeIndex
    return [...keys].flatMap((key) => index.recordsOf(key))
  }
}

/** A record as it is and as it was. */
interface RecordViews {
  readonly table: Table
  readonly slot: number
  readonly now: RecordView | null
  readonly before: RecordView | null
}

/** True if a record with a foreign key passes. A foreign key always has posting lists. */
function somePosted(
  table: Table,
  { ordinal }: StorageAttribute,
  key: Key,
  passes: (slot: number) => boolean,
): boolean {
  const index = table.indexes[ordinal] as AttributeIndex
  const postings = index.postings as PostingLists
  const list = index.listOfValue(key)
  if (list === 0) return false
  const start = postings.start(list)
  const end = start + postings.length(list)
  for (let at = start; at < end; at++) if (passes(postings.data[at])) return true
  return false
}

/** A record as it is, or as it was: `past` has what differed. */
class RecordAt implements RecordView {
  readonly #commit: LiveCommit
  readonly #table: Table
  readonly #slot: number
  readonly #isBefore: boolean
  readonly #past: PastRecord | undefined

  constructor(
    commit: LiveCommit,
    table: Table,
    slot: number,
    isBefore: boolean,
    past?: PastRecord,
  ) {
    this.#commit = commit
    this.#table = table
    this.#slot = slot
    this.#isBefore = isBefore
    this.#past = past
  }

  read(ordinal: number): StoredValue {
    const values = this.#past?.values
    return values?.has(ordinal)
      ? (values.get(ordinal) as StoredValue)
      : this.#table.read(this.#slot, ordinal)
  }
  follow({ foreignKey, target }: ToOneAttribute): RecordView | null {
    const key = this.read(foreignKey.ordinal) as Key | null
    if (key === null) return null
    const commit = this.#commit
    const table = commit.tableOf(target)
    const slot = this.#isBefore ? commit.findBefore(table, key) : table.findKey(key)
    if (slot < 0) return null
    return this.#isBefore ? commit.before(table, slot) : new RecordAt(commit, table, slot, false)
  }
  some({ owner, inverse }: ToManyAttribute, test: RecordTest): boolean {
    const key = this.read(owner.key.ordinal) as Key
    return this.#commit.some(inverse, key, test, this.#isBefore)
  }
}

/**
 * The commits since a global stamp. Live queries that continue from the same one at the same time
 * share a walk through the history, as after a restart of a proxy. What no query uses is freed.
 */
export class MissedCommits {
  #shared: {
    readonly from: number
    readonly to: number
    readonly commit: WeakRef<LiveCommit>
  } | null = null

  /** Cost: O(changes since) for the first of them. */
  since(from: number, to: number, create: () => LiveCommit): LiveCommit {
    const shared = this.#shared
    const known = shared?.from === from && shared.to === to ? shared.commit.deref() : undefined
    if (known !== undefined) return known
    const commit = create()
    this.#shared = { from, to, commit: new WeakRef(commit) }
    return commit
  }
  /** All data is replaced: the same stamp may stand for other data. */
  forget(): void {
    this.#shared = null
  }
}
