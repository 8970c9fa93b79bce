import type { Predicate } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { type IndexRanges, intersectRanges, rangesOf } from '../plan/key-range.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { textKey } from '../value/text-key.ts'
import type { StoredValue } from '../value/types.ts'

type Key = string | number
/** More values of one attribute than these are not entered one by one. */
const MAX_POINTS = 256

/** An attribute and the values of it that a record must have for a query to select it. */
export interface Anchor {
  readonly attribute: StorageAttribute
  readonly ranges: IndexRanges
}

/**
 * The attribute that narrows a predicate most: one with single values before one with ranges. Null if no attribute narrows it. Cost: O(conjuncts).
 */
export function anchorOf(predicate: Predicate): Anchor | null {
  const byAttribute = new Map<StorageAttribute, IndexRanges>()
  for (const part of predicate.kind === 'and' ? predicate.parts : [predicate]) {
    if (part.kind !== 'compare') continue
    const ranges = rangesOf(part.attribute, part.test)
    if (ranges === null) continue
    const known = byAttribute.get(part.attribute)
    byAttribute.set(part.attribute, known === undefined ? ranges : intersectRanges(known, ranges))
  }
  let best: Anchor | null = null
  for (const [attribute, ranges] of byAttribute) {
    if (ranges.ranges.length > MAX_POINTS) continue
    if (best === null || (ranges.isPoints && !best.ranges.isPoints)) best = { attribute, ranges }
  }
  return best
}

/** Which queries a changed record can concern, by the values that it had and has: an index over what the queries ask for. */
export class LiveDispatch<Q> {
  readonly #tables = new Map<Table, Map<StorageAttribute, AttributeDispatch<Q>>>()

  /** Cost: O(ranges of the anchor). */
  add(table: Table, { attribute, ranges }: Anchor, query: Q): void {
    let attributes = this.#tables.get(table)
    if (attributes === undefined) this.#tables.set(table, (attributes = new Map()))
    let dispatch = attributes.get(attribute)
    if (dispatch === undefined) attributes.set(attribute, (dispatch = new AttributeDispatch()))
    dispatch.add(ranges, query)
  }

  /** Cost: O(queries with ranges of the attribute). */
  delete(table: Table, { attribute, ranges }: Anchor, query: Q): void {
    const attributes = this.#tables.get(table)
    const dispatch = attributes?.get(attribute)
    if (attributes === undefined || dispatch === undefined) return
    dispatch.delete(ranges, query)
    if (!dispatch.isEmpty) return
    attributes.delete(attribute)
    if (attributes.size === 0) this.#tables.delete(table)
  }

  /**
   * Adds the queries whose anchor holds for a record as it was or as it is. Cost for each attribute that queries are anchored at: a look-up,
   * and two comparisons of numbers for each query with a range.
   */
  collect(table: Table, slot: number, before: PastRecord | undefined, found: Set<Q>): void {
    const attributes = this.#tables.get(table)
    if (attributes === undefined) return
    const isLive = table.isLive(slot)
    for (const [attribute, dispatch] of attributes) {
      const { ordinal } = attribute
      const now = isLive ? keyOf(attribute, table.read(slot, ordinal)) : undefined
      if (now !== undefined) dispatch.collect(now, found)
      if (before?.existed !== true) continue
      const had = before.values.has(ordinal)
      if (!had && isLive) continue
      const then = keyOf(attribute, had ? (before.values.get(ordinal) as StoredValue) : table.read(slot, ordinal))
      if (then !== now) dispatch.collect(then, found)
    }
  }
}

/** A value as ranges have it: comparison keys of texts, numbers for all else. */
function keyOf({ collation }: StorageAttribute, value: StoredValue): Key | null {
  if (value === null) return null
  return typeof value === 'string' ? textKey(value, collation) : Number(value)
}

/** The queries that are anchored at one attribute. */
class AttributeDispatch<Q> {
  readonly #points = new Map<Key, Set<Q>>()
  readonly #nulls = new Set<Q>()
  readonly #numbers = new RangeList<number, Q>()
  readonly #texts = new RangeList<string, Q>()

  get isEmpty(): boolean {
    const ranges = this.#numbers.size + this.#texts.size
    return this.#points.size + this.#nulls.size + ranges === 0
  }

  add(ranges: IndexRanges, query: Q): void {
    if (ranges.nulls) this.#nulls.add(query)
    if (!ranges.isPoints) {
      if (ranges.kind === 'number') for (const { low, high } of ranges.ranges) this.#numbers.add(low, high, query)
      else for (const { low, high } of ranges.ranges) this.#texts.add(low, high, query)
      return
    }
    for (const { low } of ranges.ranges) {
      const queries = this.#points.get(low)
      if (queries === undefined) this.#points.set(low, new Set([query]))
      else queries.add(query)
    }
  }

  delete(ranges: IndexRanges, query: Q): void {
    this.#nulls.delete(query)
    if (!ranges.isPoints) {
      this.#numbers.delete(query)
      this.#texts.delete(query)
      return
    }
    for (const { low } of ranges.ranges) {
      const queries = this.#points.get(low)
      queries?.delete(query)
      if (queries?.size === 0) this.#points.delete(low)
    }
  }

  collect(key: Key | null, found: Set<Q>): void {
    if (key === null) {
      for (const query of this.#nulls) found.add(query)
      return
    }
    const queries = this.#points.get(key)
    if (queries !== undefined) for (const query of queries) found.add(query)
    if (typeof key === 'number') this.#numbers.collect(key, found)
    else this.#texts.collect(key, found)
  }
}

/** Ranges side by side, so that one pass compares a key with all of them. Ends are taken in: a range may be told of a record too many. */
class RangeList<K extends Key, Q> {
  readonly #lows: K[] = []
  /** Null for no end. */
  readonly #highs: (K | null)[] = []
  readonly #queries: Q[] = []

  get size(): number {
    return this.#queries.length
  }

  add(low: K, high: K | null, query: Q): void {
    this.#lows.push(low)
    this.#highs.push(high)
    this.#queries.push(query)
  }

  delete(query: Q): void {
    for (let at = this.#queries.length - 1; at >= 0; at--) {
      if (this.#queries[at] !== query) continue
      this.#lows[at] = this.#lows[this.#lows.length - 1]
      this.#highs[at] = this.#highs[this.#highs.length - 1]
      this.#queries[at] = this.#queries[this.#queries.length - 1]
      this.#lows.pop()
      this.#highs.pop()
      this.#queries.pop()
    }
  }

  collect(key: K, found: Set<Q>): void {
    const lows = this.#lows
    for (let i = 0; i < lows.length; i++) {
      if (key < lows[i]) continue
      const high = this.#highs[i]
      if (high === null || key <= high) found.add(this.#queries[i])
    }
  }
}
