import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { Counts, Statistics } from '../plan/cost.ts'
import type { IndexRanges } from '../plan/key-range.ts'
import type { IndexAccess, JoinPlaces, PhysicalPlan, Sought } from '../plan/physical-plan.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { accessOf, numberAccess, soughtAccess, textAccess } from './index-access.ts'
import { textKeyReader } from './order-keys.ts'
import { addList, listsOf, pointAccess } from './point-access.ts'
import { Steps } from './steps.ts'
import { listedSlots } from './time-slices.ts'

const SAMPLE = 64

/** What counts need to know of the state that is read. */
export interface ScannedMoment {
  readonly isProvisional: boolean
  /** True in a store that holds only some entities; see `StageSet.mayDangle`. */
  readonly mayDangle?: boolean
}

/** Counts of a store that looks up single values and scans for all else. */
export class ScanCounts implements Counts {
  protected readonly database: Database
  readonly #moment: ScannedMoment

  constructor(database: Database, moment: ScannedMoment) {
    this.database = database
    this.#moment = moment
  }

  get mayDangle(): boolean {
    return this.#moment.isProvisional || this.#moment.mayDangle === true
  }
  rowCount(dataClass: ClassModel): number {
    return this.database.tableOf(dataClass).liveCount
  }
  access(attribute: StorageAttribute, sought: Sought): IndexAccess | null {
    return pointAccess(this.database.tableOf(attribute.owner), attribute, sought)
  }
  sampledShare(attribute: StorageAttribute, ranges: IndexRanges): number {
    return sampledShare(this.database.tableOf(attribute.owner), attribute, ranges)
  }
}

/**
 * The share of living records in a sample that the ranges select. It is never 0 or 1, which a
 * sample cannot prove.
 */
function sampledShare(table: Table, attribute: StorageAttribute, ranges: IndexRanges): number {
  const column = table.columns[attribute.ordinal]
  if (table.liveCount === 0) return 0
  if (column instanceof WordColumn && ranges.kind === 'text' && ranges.isPoints) {
    let rows = 0
    for (const { low } of ranges.ranges)
      for (const code of column.dictionary.codesOfKey(low)) rows += column.dictionary.counts[code]
    return rows / table.liveCount
  }
  const textAt = textKeyReader(table, attribute)
  const step = Math.max(1, Math.floor(table.length / SAMPLE))
  let seen = 0
  let selected = 0
  for (let slot = 0; slot < table.length; slot += step) {
    if (!table.isLive(slot)) continue
    seen++
    const key = ranges.kind === 'text' ? textAt(slot) : scalarKey(column.read(slot))
    if (key === null ? ranges.nulls : isWithin(ranges, key)) selected++
  }
  return (selected + 0.5) / (seen + 1)
}

const scalarKey = (value: unknown): number | null =>
  typeof value === 'boolean' || typeof value === 'number' ? Number(value) : null

function isWithin(ranges: IndexRanges, key: string | number): boolean {
  // Finds the last range that begins at or before the key by bisection: there may be thousands.
  let at = 0
  let end = ranges.ranges.length
  while (at < end) {
    const middle = (at + end) >>> 1
    if (ranges.ranges[middle].low <= key) at = middle + 1
    else end = middle
  }
  if (at === 0) return false
  if (ranges.kind === 'number') return (key as number) <= ranges.ranges[at - 1].high
  const { high } = ranges.ranges[at - 1]
  return high === null || (key as string) < high
}

/** From this number of ranges on, counting takes longer than a look-up of earlier counts. */
const MIN_KEPT_RANGES = 64

/**
 * The planner's counts over a database: ranks of block indexes, lengths of posting lists, hits of
 * hashes.
 */
export class IndexStatistics extends ScanCounts implements Statistics {
  /** The counts of long lists and of words, which several plans use. */
  readonly #counted = new WeakMap<Sought, IndexAccess>()

  override access(attribute: StorageAttribute, ranges: Sought): IndexAccess | null {
    const table = this.database.tableOf(attribute.owner)
    const { slices } = this.database
    const hasNone = table.indexes[attribute.ordinal] === null && !attribute.key
    if (slices === null || hasNone) return this.#accessTo(table, attribute, ranges)
    return slices.once(['access', attribute, ranges], () =>
      this.#accessTo(table, attribute, ranges),
    )
  }
  #accessTo(table: Table, attribute: StorageAttribute, ranges: Sought): IndexAccess | null {
    const { slices } = this.database
    if (ranges.kind !== 'words' && ranges.ranges.length < MIN_KEPT_RANGES)
      return accessOf(table, attribute, ranges, slices)
    const known = this.#counted.get(ranges)
    if (known?.version === table.version) return known
    const found = soughtAccess(table, attribute, ranges, slices)
    if (found !== null) this.#counted.set(ranges, found)
    return found
  }
  rangeAccess(range: RangeTemplate): IndexAccess | null {
    const table = this.database.tableOf(range.attribute.owner)
    return range.isText ? textAccess(table, range) : numberAccess(table, range)
  }
  joinPlaces(predicate: RelatedPredicate, inner: PhysicalPlan): JoinPlaces | null {
    return joinPlaces(this.database, predicate, inner)
  }
  fanOut(relation: RelationAttribute): number {
    const source = this.rowCount(relation.owner)
    const target = this.rowCount(relation.target)
    return target === 0 ? 0 : source / target
  }
  wordCount(attribute: StorageAttribute): number | null {
    const column = this.database.tableOf(attribute.owner).columns[attribute.ordinal]
    return column instanceof WordColumn ? column.dictionary.size : null
  }
}

function joinPlaces(
  database: Database,
  { relation, part, whenMissing }: RelatedPredicate,
  inner: PhysicalPlan,
): JoinPlaces | null {
  if (relation.kind !== 'relatedEntity') return null
  const { version, indexes } = database.tableOf(relation.owner)
  // A foreign key always has posting lists.
  const index = indexes[relation.foreignKey.ordinal] as AttributeIndex
  const postings = index.postings as PostingLists
  const target = database.tableOf(relation.target)
  const key = target.columns[target.model.key.ordinal]
  const { slices } = database
  const slots =
    innerSlots(target, inner) ?? listedSlots(slices, database.select(relation.target, part))
  const memoKey = (): readonly unknown[] => [
    'places of a join',
    database,
    relation,
    part,
    whenMissing,
  ]
  const start = (): { lists: number[]; rows: number } => {
    const lists: number[] = []
    return { lists, rows: whenMissing ? addList(postings, 0, lists) : 0 }
  }
  const found = Steps.in(slices, memoKey).loop(
    slots.length,
    start,
    (all, from, to) => {
      for (let i = from; i < to; i++) {
        const list = index.listOfValue(key.read(slots[i]) as string | number)
        if (list !== 0) all.rows += addList(postings, list, all.lists)
      }
    },
    1,
  )
  return { version, innerVersion: target.version, ...found }
}

/** The records of an inner query, unordered, if its plan holds them; else null. */
function innerSlots(table: Table, plan: PhysicalPlan): ArrayLike<number> | null {
  if (plan.kind !== 'index' || plan.places.version !== table.version) return null
  const { places } = plan
  if (places.kind === 'slots') return places.many
  const postings = table.indexes[plan.attribute.ordinal]?.postings ?? null
  if (postings === null) return null
  const slots = new Int32Array(places.rows)
  let count = 0
  for (const list of listsOf(places)) count = postings.copyInto(list, slots, count)
  return slots
}
