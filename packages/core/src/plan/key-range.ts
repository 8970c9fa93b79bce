import type { Scalar, Test } from '../filter/predicate.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { patternList, type Wildcard, wildcardHead, wildcardPrefix } from '../value/pattern-list.ts'

/**
 * The part of an index that a test selects. Numbers (dates and booleans too): closed ranges [low,
 * high] of finite keys. Text: half-open ranges [low, high) of comparison keys, `high` null for no
 * end. Nulls are separate: `nulls` selects all of them. Ranges are ascending and disjoint.
 */
export type IndexRanges = NumberRanges | TextRanges
export interface NumberRanges {
  readonly kind: 'number'
  readonly ranges: readonly { readonly low: number; readonly high: number }[]
  readonly nulls: boolean
  /** Every range is one value, which a hash or posting lists can answer. */
  readonly isPoints: boolean
  /** False when the range holds more than the test selects: the test stays as a residual. */
  readonly isExact: boolean
}
export interface TextRange {
  readonly low: string
  readonly high: string | null
}
export interface TextRanges {
  readonly kind: 'text'
  readonly ranges: readonly TextRange[]
  readonly nulls: boolean
  readonly isPoints: boolean
  readonly isExact: boolean
}

/**
 * The index ranges of a test, or null when no index of the attribute can answer it (keywords,
 * patterns that begin with a wildcard).
 */
export function rangesOf(attribute: StorageAttribute, test: Test): IndexRanges | null {
  if (test.op !== 'in' || test.spelling.length < MIN_KEPT_LIST) return typedRanges(attribute, test)
  let ranges = LISTS.get(test)
  if (ranges === undefined) LISTS.set(test, (ranges = typedRanges(attribute, test)))
  return ranges
}

/**
 * The ranges of longer lists are cached: a query needs them several times, and they must be sorted.
 */
const MIN_KEPT_LIST = 64
const LISTS = new WeakMap<Test, IndexRanges | null>()

function typedRanges(attribute: StorageAttribute, test: Test): IndexRanges | null {
  switch (attribute.type) {
    case 'string':
    case 'uuid':
      return textRanges(test)
    case 'object':
    case 'image':
    case 'blob':
      return null
    default:
      return numberRanges(test)
  }
}

const numbers = (
  ranges: readonly { readonly low: number; readonly high: number }[],
  nulls = false,
  isPoints = nulls,
): NumberRanges => ({
  kind: 'number',
  ranges,
  nulls,
  isPoints,
  isExact: true,
})
const asNumber = (value: Scalar): number =>
  typeof value === 'boolean' ? (value ? 1 : 0) : (value as number)
/** Below every key, and above. */
export const LOW = -Number.MAX_VALUE
export const HIGH = Number.MAX_VALUE

function numberRanges(test: Test): NumberRanges | null {
  switch (test.op) {
    case 'isNull':
      return numbers([], true)
    case 'isNotNull':
      return numbers([{ low: LOW, high: HIGH }])
    case 'equal': {
      const value = asNumber(test.value)
      return numbers([{ low: value, high: value }], false, true)
    }
    case 'notEqual': {
      const value = asNumber(test.value)
      return numbers([
        { low: LOW, high: below(value) },
        { low: above(value), high: HIGH },
      ])
    }
    case 'less':
      return numbers([{ low: LOW, high: below(asNumber(test.value)) }])
    case 'lessEqual':
      return numbers([{ low: LOW, high: asNumber(test.value) }])
    case 'greater':
      return numbers([{ low: above(asNumber(test.value)), high: HIGH }])
    case 'greaterEqual':
      return numbers([{ low: asNumber(test.value), high: HIGH }])
    case 'in': {
      if (test.wildcards.length > 0) return null
      const values = [...new Set(test.values.map(asNumber))].sort((a, b) => a - b)
      return numbers(
        values.map((value) => ({ low: value, high: value })),
        false,
        true,
      )
    }
    default:
      return null
  }
}

const texts = (ranges: readonly TextRange[], isExact = true, isPoints = false): TextRanges => ({
  kind: 'text',
  ranges,
  nulls: false,
  isPoints,
  isExact,
})
/** The least key after `key`. */
export const after = (key: string): string => key + '\u0000'

function textRanges(test: Test): TextRanges | null {
  switch (test.op) {
    case 'isNull':
      return { kind: 'text', ranges: [], nulls: true, isPoints: true, isExact: true }
    case 'isNotNull':
      return texts([{ low: '', high: null }])
    case 'equal':
      return texts([{ low: test.value as string, high: after(test.value as string) }], true, true)
    case 'notEqual':
      return texts([
        { low: '', high: test.value as string },
        { low: after(test.value as string), high: null },
      ])
    case 'less':
      return texts([{ low: '', high: test.value as string }])
    case 'lessEqual':
      return texts([{ low: '', high: after(test.value as string) }])
    case 'greater':
      return texts([{ low: after(test.value as string), high: null }])
    case 'greaterEqual':
      return texts([{ low: test.value as string, high: null }])
    case 'like': {
      const head = wildcardHead(test.wildcard)
      return head === '' ? null : texts([prefixRange(head)], isPrefix(test.wildcard))
    }
    case 'exact':
      // Other spellings have the same key.
      return test.patterns.length > 0 ? null : pointRanges(test.keys, false)
    case 'in': {
      const values = test.values as readonly string[]
      const { wildcards } = test
      if (wildcards.length > 0) return listRanges(ascending(values), wildcards)
      return pointRanges(values, true)
    }
    default:
      return null
  }
}

const ascending = (keys: readonly string[]): readonly string[] =>
  [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1))

const pointRanges = (keys: readonly string[], isExact: boolean): TextRanges =>
  texts(
    ascending(keys).map((key) => ({ low: key, high: after(key) })),
    isExact,
    true,
  )

const isPrefix = (wildcard: Wildcard): boolean => wildcardPrefix(wildcard) !== null

/**
 * The ascending ranges of values and of the prefixes of patterns; null if a pattern begins with a
 * wildcard.
 */
function listRanges(values: readonly string[], wildcards: readonly Wildcard[]): TextRanges | null {
  const { heads } = patternList(wildcards)
  if (heads[0] === '') return null
  const ranges: TextRange[] = []
  let end: string | null = ''
  for (let i = 0, j = 0; end !== null && (i < values.length || j < heads.length); ) {
    // If a value equals a prefix, the range of the prefix holds more.
    const isValue = j === heads.length || (i < values.length && values[i] < heads[j])
    const low = isValue ? values[i++] : heads[j++]
    // The range before holds it: a prefix holds everything that begins with it.
    if (low < end) continue
    const range = isValue ? { low, high: after(low) } : prefixRange(low)
    ranges.push(range)
    end = range.high
  }
  return texts(ranges, wildcards.every(isPrefix))
}

/** Every key that begins with `prefix`. */
export function prefixRange(prefix: string): TextRange {
  for (let end = prefix.length - 1; end >= 0; end--) {
    const unit = prefix.charCodeAt(end)
    if (unit < 0xffff)
      return { low: prefix, high: prefix.slice(0, end) + String.fromCharCode(unit + 1) }
  }
  return { low: prefix, high: null }
}

/**
 * The greatest double below a finite one. Source: Rump, Zimmermann, Boldo, Melquiond, Computing
 * predecessor and successor in rounding to nearest, 2009.
 */
export function below(value: number): number {
  return value - (PREDECESSOR * Math.abs(value) + Number.MIN_VALUE)
}
/** u (1 + 2u) for u = 2^-53. */
const PREDECESSOR = 2 ** -53 * (1 + 2 ** -52)
/** The least double above a finite one. */
export const above = (value: number): number =>
  value + (PREDECESSOR * Math.abs(value) + Number.MIN_VALUE)

/**
 * The intersection of two lists of ranges of one attribute, without empty ranges. Cost: O(ranges).
 */
export function intersectRanges(a: IndexRanges, b: IndexRanges): IndexRanges {
  const nulls = a.nulls && b.nulls
  const isExact = a.isExact && b.isExact
  const isPoints = a.isPoints || b.isPoints
  if (a.kind === 'number' && b.kind === 'number') {
    const ranges: { low: number; high: number }[] = []
    for (let i = 0, j = 0; i < a.ranges.length && j < b.ranges.length; ) {
      const x = a.ranges[i]
      const y = b.ranges[j]
      const low = Math.max(x.low, y.low)
      const high = Math.min(x.high, y.high)
      if (low <= high) ranges.push({ low, high })
      if (x.high <= y.high) i++
      else j++
    }
    return { kind: 'number', ranges, nulls, isPoints, isExact }
  }
  const first = (a as TextRanges).ranges
  const second = (b as TextRanges).ranges
  const ranges: TextRange[] = []
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    const x = first[i]
    const y = second[j]
    const isFirst = x.high !== null && (y.high === null || x.high <= y.high)
    const low = x.low > y.low ? x.low : y.low
    const high = isFirst ? x.high : y.high
    if (high === null || low < high) ranges.push({ low, high })
    // The range that ends first has no further intersection.
    if (isFirst) i++
    else j++
  }
  return { kind: 'text', ranges, nulls, isPoints, isExact }
}

/** True for a range of texts that share at least their first character. */
export function sharesBeginning(
  range: TextRange,
): range is { readonly low: string; readonly high: string } {
  const { low, high } = range
  if (low === '' || high === null || high === '') return false
  const step = high.charCodeAt(0) - low.charCodeAt(0)
  return step === 0 || (step === 1 && high.length === 1)
}
