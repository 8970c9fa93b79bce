import type { RecordView } from '../execute/record-test.ts'
import { TESTS, type TestRow } from '../filter/operators.ts'
import type { OrderTerm, Predicate, Test } from '../filter/predicate.ts'
import type { StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { Counts } from '../plan/cost.ts'
import { after, HIGH, type IndexRanges, intersectRanges, LOW, rangesOf } from '../plan/key-range.ts'
import { textKey } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'

/** A value as in ranges: the comparison key of a text, a number for every other type. */
export type AnchorKey = string | number

/**
 * Ranges of one attribute of the record itself or of a record that to-one relations lead to. A
 * missing related record counts as null.
 */
export interface Anchor {
  readonly steps: readonly ToOneAttribute[]
  readonly attribute: StorageAttribute
  readonly ranges: IndexRanges
}

/** The most values of one attribute that are entered one by one. */
const MAX_POINTS = 256

/**
 * Returns anchors such that every record that satisfies a rewritten predicate satisfies at least
 * one of them. For AND these are the anchors of the most selective conjunct, for OR those of all
 * disjuncts. Null if no anchor narrows the predicate. Cost: O(predicate), and one look-up in an
 * index or sample for each alternative.
 */
export function anchorsOf(predicate: Predicate, counts: Counts): readonly Anchor[] | null {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? null : []
    case 'compare':
      return anchorsAt(predicate.attribute, rangesOf(predicate.attribute, predicate.test))
    case 'not': {
      const { part } = predicate
      const negated = part.kind === 'compare' ? negationOf(part.test) : null
      if (part.kind !== 'compare' || negated === null) return null
      const ranges = rangesOf(part.attribute, negated)
      // A value outside the range may be null.
      return anchorsAt(part.attribute, ranges === null ? null : { ...ranges, nulls: true })
    }
    case 'related':
      return anchorsAlong(predicate, counts)
    case 'or': {
      const all: Anchor[] = []
      for (const part of predicate.parts) {
        const anchors = anchorsOf(part, counts)
        if (anchors === null) return null
        all.push(...anchors)
      }
      return all.length > MAX_POINTS ? null : all
    }
    case 'and':
      return narrowest(conjunctsOf(predicate.parts, counts), counts)
    default:
      return null
  }
}

function anchorsAt(
  attribute: StorageAttribute,
  ranges: IndexRanges | null,
): readonly Anchor[] | null {
  return ranges === null || ranges.ranges.length > MAX_POINTS
    ? null
    : [{ steps: [], attribute, ranges }]
}

function anchorsAlong(
  { relation, part, whenMissing }: Extract<Predicate, { readonly kind: 'related' }>,
  counts: Counts,
): readonly Anchor[] | null {
  if (relation.kind !== 'relatedEntity') return null
  const inner = anchorsOf(part, counts)
  if (inner === null || (whenMissing && inner.length === 0)) return null
  return inner.map(({ steps, attribute, ranges }) => ({
    steps: [relation, ...steps],
    attribute,
    ranges: whenMissing ? { ...ranges, nulls: true } : ranges,
  }))
}

/** The anchors of each conjunct. Comparisons of one attribute are combined. */
function conjunctsOf(parts: readonly Predicate[], counts: Counts): (readonly Anchor[])[] {
  const own = new Map<StorageAttribute, IndexRanges>()
  const all: (readonly Anchor[])[] = []
  for (const part of parts) {
    if (part.kind !== 'compare') {
      const anchors = anchorsOf(part, counts)
      if (anchors !== null) all.push(anchors)
      continue
    }
    const ranges = rangesOf(part.attribute, part.test)
    if (ranges === null) continue
    const known = own.get(part.attribute)
    own.set(part.attribute, known === undefined ? ranges : intersectRanges(known, ranges))
  }
  for (const [attribute, ranges] of own) {
    const anchors = anchorsAt(attribute, ranges)
    if (anchors !== null) all.push(anchors)
  }
  return all
}

/** The alternative that the fewest records satisfy; null if there is none. */
export function narrowest(
  alternatives: readonly (readonly Anchor[])[],
  counts: Counts,
): readonly Anchor[] | null {
  if (alternatives.length < 2) return alternatives[0] ?? null
  let best: readonly Anchor[] | null = null
  let least = Number.POSITIVE_INFINITY
  for (const anchors of alternatives) {
    let share = 0
    for (const anchor of anchors) share += shareOf(anchor, counts)
    if (share >= least) continue
    best = anchors
    least = share
  }
  return best
}

/** The share of records, 0 to 1, that satisfy an anchor. Exact if an index counts them. */
function shareOf({ attribute, ranges }: Anchor, counts: Counts): number {
  const count = counts.rowCount(attribute.owner)
  const access = counts.access(attribute, ranges)
  if (access === null) return counts.sampledShare(attribute, ranges)
  return count === 0 ? 1 : access.rows / count
}

/**
 * The negation of a comparison, without nulls: half of the comparisons never hold for null. Null if
 * there is none.
 */
function negationOf(test: Test): Test | null {
  const { complement }: TestRow = TESTS[test.op]
  return complement === undefined ? null : ({ ...test, op: complement } as Test)
}

/**
 * The value of a record in a term of an order; undefined if ranges cannot describe the order of the
 * term.
 */
export function endOf(
  { steps, attribute, properties }: OrderTerm,
  record: RecordView,
): AnchorKey | null | undefined {
  if (attribute.kind !== 'storage' || properties.length > 0) return undefined
  if (rangesOf(attribute, { op: 'isNotNull' }) === null) return undefined
  return keyAt(record, steps as readonly ToOneAttribute[], attribute)
}

/**
 * The values that records before the end of a page can have in the first term of its order,
 * narrowed by the filter; null if they can have any value. `end` is the value of the last record of
 * the page.
 */
export function windowOf(
  { steps, attribute, descending }: OrderTerm,
  end: AnchorKey | null,
  predicate: Predicate,
): readonly Anchor[] | null {
  // Nulls sort first.
  if (attribute.kind !== 'storage' || (end === null && descending)) return null
  let ranges = rangesUpTo(end, descending)
  for (const part of predicate.kind === 'and' ? predicate.parts : [predicate]) {
    if (steps.length > 0 || end === null || part.kind !== 'compare' || part.attribute !== attribute)
      continue
    const allowed = rangesOf(attribute, part.test)
    if (allowed !== null) ranges = intersectRanges(ranges, allowed)
  }
  const anchors = anchorsAt(attribute, ranges)
  return (
    anchors?.map((anchor) => ({ ...anchor, steps: steps as readonly ToOneAttribute[] })) ?? null
  )
}

function rangesUpTo(end: AnchorKey | null, descending: boolean): IndexRanges {
  const rest = { nulls: !descending, isPoints: false, isExact: false }
  if (end === null) return { kind: 'number', ranges: [], ...rest }
  if (typeof end === 'number') {
    const range = descending ? { low: end, high: HIGH } : { low: LOW, high: end }
    return { kind: 'number', ranges: [range], ...rest }
  }
  return {
    kind: 'text',
    ranges: [descending ? { low: end, high: null } : { low: '', high: after(end) }],
    ...rest,
  }
}

/** The value of a record at an anchor. */
export function keyAt(
  record: RecordView,
  steps: readonly ToOneAttribute[],
  { ordinal, collation }: StorageAttribute,
): AnchorKey | null {
  let view: RecordView | null = record
  for (let i = 0; i < steps.length && view !== null; i++) view = view.follow(steps[i])
  if (view === null) return null
  const value: StoredValue = view.read(ordinal)
  if (value === null) return null
  return typeof value === 'string' ? textKey(value, collation) : Number(value)
}

/** Entries of one block, which are searched one after the other. */
const BLOCK = 64

/**
 * Ranges of keys, each with an owner. It finds the ranges that contain a key. They are sorted by
 * their lower ends, in blocks that record their highest end. Cost of a search: O(ranges / 64)
 * comparisons and a scan of the blocks that may match; of a change: O(64).
 */
export class RangeList<K extends AnchorKey, Q> {
  readonly #blocks: Block<K, Q>[] = []
  size = 0

  /** Both ends are inclusive. `high` is null for no upper end. */
  add(low: K, high: K | null, owner: Q): void {
    this.size++
    const at = Math.max(0, this.#blockOf(low))
    if (this.#blocks.length === 0) this.#blocks.push(new Block())
    const block = this.#blocks[at]
    block.add({ low, high, owner })
    if (block.ranges.length > 2 * BLOCK) this.#blocks.splice(at + 1, 0, block.split())
  }

  /** Removes a range that was added with the same ends. */
  delete(low: K, high: K | null, owner: Q): void {
    // Equal lower ends may fill several blocks; the search finds the last of them.
    for (let at = this.#blockOf(low); at >= 0; at--) {
      const block = this.#blocks[at]
      if (block.delete(low, high, owner)) {
        this.size--
        if (block.ranges.length === 0) this.#blocks.splice(at, 1)
        return
      }
      if (block.ranges[0].low < low) return
    }
  }

  collect(key: K, found: (owner: Q) => void): void {
    const blocks = this.#blocks
    for (let i = 0; i < blocks.length; i++) {
      const { ranges, highest } = blocks[i]
      if (ranges[0].low > key) return
      if (highest !== null && highest < key) continue
      for (let at = 0; at < ranges.length && ranges[at].low <= key; at++) {
        const { high, owner } = ranges[at]
        if (high === null || key <= high) found(owner)
      }
    }
  }

  /** The last block that begins at or before a key; -1 if none does. */
  #blockOf(low: K): number {
    let from = 0
    let end = this.#blocks.length
    while (from < end) {
      const middle = (from + end) >>> 1
      if (this.#blocks[middle].ranges[0].low <= low) from = middle + 1
      else end = middle
    }
    return from - 1
  }
}

interface OwnedRange<K extends AnchorKey, Q> {
  readonly low: K
  readonly high: K | null
  readonly owner: Q
}

class Block<K extends AnchorKey, Q> {
  ranges: OwnedRange<K, Q>[] = []
  /** The highest upper end; null for no end. */
  highest: K | null = null

  add(range: OwnedRange<K, Q>): void {
    const { ranges } = this
    const { low, high } = range
    let at = ranges.length
    while (at > 0 && ranges[at - 1].low > low) at--
    ranges.splice(at, 0, range)
    if (ranges.length === 1) this.highest = high
    else if (this.highest !== null)
      this.highest = high === null || high > this.highest ? high : this.highest
  }

  delete(low: K, high: K | null, owner: Q): boolean {
    const at = this.ranges.findIndex(
      (each) => each.owner === owner && each.low === low && each.high === high,
    )
    if (at < 0) return false
    this.ranges.splice(at, 1)
    if (high === this.highest) this.#findHighest()
    return true
  }

  /** Splits off the upper half and returns it. */
  split(): Block<K, Q> {
    const upper = new Block<K, Q>()
    upper.ranges = this.ranges.splice(BLOCK)
    upper.#findHighest()
    this.#findHighest()
    return upper
  }

  #findHighest(): void {
    this.highest = null
    for (const { high } of this.ranges) {
      if (high === null) {
        this.highest = null
        return
      }
      if (this.highest === null || high > this.highest) this.highest = high
    }
  }
}
