import {
  andWords,
  bitsInto,
  bitsOf,
  countBits,
  exceptWords,
  hasBit,
  orWords,
  setBit,
  type WordAllocator,
  wordsFor,
  wordsIntersect,
} from './bitset.ts'

/**
 * A set of record numbers of one table: a sorted list where few, words where many. Immutable once built.
 */
export type RecordSet = SparseSet | DenseSet

export interface SparseSet {
  readonly kind: 'sparse'
  /** Ascending, without duplicates. */
  readonly slots: Int32Array | readonly number[]
  readonly count: number
}

export interface DenseSet {
  readonly kind: 'dense'
  readonly words: Int32Array
  /** Counted when first asked for; -1 before. Use `countOf`. */
  count: number
}

export const EMPTY_SET: SparseSet = { kind: 'sparse', slots: [], count: 0 }

export const sparseSet = (slots: Int32Array | readonly number[]): SparseSet => ({
  kind: 'sparse',
  slots,
  count: slots.length,
})
export const denseSet = (words: Int32Array, count = -1): DenseSet => ({ kind: 'dense', words, count })

/** Number of members; O(words) the first time for a dense set, O(1) after. */
export function countOf(set: RecordSet): number {
  if (set.count < 0 && set.kind === 'dense') set.count = countBits(set.words)
  return set.count
}

/** O(1) for dense, O(log n) for sparse. */
export function contains(set: RecordSet, slot: number): boolean {
  if (set.kind === 'dense') return hasBit(set.words, slot)
  const { slots } = set
  let low = 0
  let high = slots.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (slots[middle] < slot) low = middle + 1
    else high = middle
  }
  return low < slots.length && slots[low] === slot
}

/** Members in record order from the `skip`-th on, at most `limit`. */
export function membersOf(set: RecordSet, skip: number, limit: number): number[] {
  const from = Math.max(0, skip)
  if (set.kind === 'sparse') {
    const { slots } = set
    const out: number[] = new Array(Math.max(0, Math.min(slots.length - from, limit)))
    for (let i = 0; i < out.length; i++) out[i] = slots[from + i]
    return out
  }
  return bitsOf(set.words, from, limit)
}

/** All members in record order. Cost O(words + members). */
export function slotsOf(set: RecordSet): Int32Array {
  if (set.kind === 'sparse' && set.slots instanceof Int32Array) return set.slots
  const out = new Int32Array(countOf(set))
  if (set.kind === 'sparse') {
    for (let i = 0; i < out.length; i++) out[i] = set.slots[i]
    return out
  }
  bitsInto(set.words, out)
  return out
}

/** The same members as words; a dense set's own words are returned, not copied. */
export function wordsOf(set: RecordSet, allocator: WordAllocator): Int32Array {
  if (set.kind === 'dense') return set.words
  const last = set.slots.length === 0 ? -1 : set.slots[set.slots.length - 1]
  const words = allocator.take(wordsFor(last + 1))
  for (let i = 0; i < set.slots.length; i++) setBit(words, set.slots[i])
  return words
}

export function intersection(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'dense' && b.kind === 'dense') {
    const out = allocator.take(Math.min(a.words.length, b.words.length))
    const count = andWords(a.words, b.words, out)
    return denseSet(out, count)
  }
  const [few, other] = a.kind === 'sparse' && (b.kind === 'dense' || a.count <= b.count) ? [a, b] : [b, a]
  return keep(few as SparseSet, (slot) => contains(other, slot))
}

export function union(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'sparse' && b.kind === 'sparse') return mergeSparse(a, b)
  const left = wordsOf(a, allocator)
  const right = wordsOf(b, allocator)
  const out = allocator.take(Math.max(left.length, right.length))
  const count = orWords(left, right, out)
  return denseSet(out, count)
}

/** Members of `a` that are not in `b`. */
export function difference(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'sparse') return keep(a, (slot) => !contains(b, slot))
  const out = allocator.take(a.words.length)
  const count = exceptWords(a.words, wordsOf(b, allocator), out)
  return denseSet(out, count)
}

/** True when the two share a member; stops at the first. */
export function intersects(a: RecordSet, b: RecordSet): boolean {
  if (a.kind === 'dense' && b.kind === 'dense') return wordsIntersect(a.words, b.words)
  const [few, other] = a.kind === 'sparse' ? [a, b] : [b as SparseSet, a]
  for (let i = 0; i < few.slots.length; i++) if (contains(other, few.slots[i])) return true
  return false
}

function keep(set: SparseSet, isKept: (slot: number) => boolean): SparseSet {
  const out: number[] = []
  for (let i = 0; i < set.slots.length; i++) if (isKept(set.slots[i])) out.push(set.slots[i])
  return sparseSet(out)
}

function mergeSparse(a: SparseSet, b: SparseSet): SparseSet {
  const out: number[] = []
  let i = 0
  let j = 0
  while (i < a.slots.length || j < b.slots.length) {
    const left = i < a.slots.length ? a.slots[i] : Number.POSITIVE_INFINITY
    const right = j < b.slots.length ? b.slots[j] : Number.POSITIVE_INFINITY
    out.push(Math.min(left, right))
    if (left <= right) i++
    if (right <= left) j++
  }
  return sparseSet(out)
}
