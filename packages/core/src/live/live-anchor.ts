import type { RecordView } from '../execute/record-test.ts'
import type { OrderTerm, Predicate, Test } from '../filter/predicate.ts'
import type { StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import { after, HIGH, type IndexRanges, intersectRanges, LOW, rangesOf } from '../plan/key-range.ts'
import type { Counts } from '../plan/statistics.ts'
import { textKey } from '../value/text-key.ts'
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
  switch (test.op) {
    case 'equal':
      return { ...test, op: 'notEqual' }
    case 'notEqual':
      return { ...test, op: 'equal' }
    case 'less':
      return { ...test, op: 'greaterEqual' }
    case 'lessEqual':
      return { ...test, op: 'greater' }
    case 'greater':
      return { ...test, op: 'lessEqual' }
    case 'greaterEqual':
      return { ...test, op: 'less' }
    default:
      return null
  }
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
