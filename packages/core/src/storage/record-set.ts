import {
  bitsInto,
  bitsOf,
  clearBit,
  combineWords,
  countBits,
  hasBit,
  type SetOperator,
  setBit,
  wordsFor,
  wordsIntersect,
} from './bitset.ts'
import type { BitsetKernel, KernelOperand, WordAllocator } from './bitset-kernel.ts'

/**
 * Sets with fewer words are combined by the loop in `bitset.ts`, which is done before a kernel has
 * its copies.
 */
const MIN_KERNEL_WORDS = 256

/**
 * A set of record numbers as words that never change. A combination of two sets is materialised
 * when its members are first read: often only the count is, which needs no memory. Until then it
 * refers to both sets.
 */
export class DenseSet implements KernelOperand {
  readonly kind = 'dense'
  /** How many words there are. */
  readonly length: number
  kernel: BitsetKernel | null = null
  address = 0
  #words: Int32Array | null
  /** -1: not counted yet. */
  #count: number
  /** What the words are made of, until they are. */
  #source: Combination | null

  private constructor(
    length: number,
    words: Int32Array | null,
    count: number,
    source: Combination | null,
  ) {
    this.length = length
    this.#words = words
    this.#count = count
    this.#source = source
  }

  /** Takes over the words. `count` -1: counted on demand. */
  static of(words: Int32Array, count: number): DenseSet {
    return new DenseSet(words.length, words, count, null)
  }
  /** Materialises both first, so that a combination is never more than one level deep. */
  static combined(
    operator: SetOperator,
    left: DenseSet,
    right: DenseSet,
    allocator: WordAllocator,
  ): DenseSet {
    left.settle()
    right.settle()
    const length = lengthOf(operator, left.length, right.length)
    return new DenseSet(length, null, -1, { operator, left, right, allocator })
  }

  /** O(words) the first time for what was combined, O(1) after. */
  get words(): Int32Array {
    this.settle()
    return this.#words as Int32Array
  }

  /** O(words) the first time, O(1) after. */
  get count(): number {
    if (this.#count < 0) {
      const count = this.#source === null ? countBits(this.words) : combine(this.#source)
      if (count < 0) this.settle()
      else this.#count = count
    }
    return this.#count
  }

  /** Materialises the words. */
  settle(): void {
    if (this.#source === null) return
    const { operator, left, right, allocator } = this.#source
    const out = allocator.take(this.length)
    let count = combine(this.#source)
    if (count < 0) count = combineWords(operator, left.words, right.words, out)
    else allocator.kernel?.copyResult(out)
    this.#count = count
    this.#words = out
    this.#source = null
  }
}

interface Combination {
  readonly operator: SetOperator
  readonly left: DenseSet
  readonly right: DenseSet
  readonly allocator: WordAllocator
}

/**
 * Combines in the kernel and counts; -1 where there is no kernel, or the sets are too small or too
 * large for it.
 */
function combine({ operator, left, right, allocator }: Combination): number {
  if (Math.min(left.length, right.length) < MIN_KERNEL_WORDS) return -1
  return allocator.kernel?.combine(operator, left, right) ?? -1
}

function lengthOf(operator: SetOperator, left: number, right: number): number {
  if (operator === 'and') return Math.min(left, right)
  return operator === 'or' ? Math.max(left, right) : left
}

/**
 * A set of record numbers of one table: a sorted list or, where there are many, words. Immutable
 * once built.
 */
export type RecordSet = SparseSet | DenseSet

export interface SparseSet {
  readonly kind: 'sparse'
  /** Ascending, without duplicates. */
  readonly slots: Int32Array | readonly number[]
  readonly count: number
}

export const EMPTY_SET: SparseSet = { kind: 'sparse', slots: [], count: 0 }

export const sparseSet = (slots: Int32Array | readonly number[]): SparseSet => ({
  kind: 'sparse',
  slots,
  count: slots.length,
})
/** Takes over the words, which must not change afterwards. */
export const denseSet = (words: Int32Array, count = -1): DenseSet => DenseSet.of(words, count)

/** Number of members; O(words) the first time for a dense set, O(1) after. */
export const countOf = (set: RecordSet): number => set.count

/** Materialises a combination, so that it no longer refers to the sets it combines. */
export function settleSet(set: RecordSet): void {
  if (set.kind === 'dense') set.settle()
}

/**
 * A copy of a set that shares no memory with others and takes at most 8 bytes a member: a list
 * where words would take more. O(members).
 */
export function compactSet(set: RecordSet): RecordSet {
  const { count } = set
  if (set.kind === 'sparse' || set.words.byteLength > count * 8)
    return sparseSet(ownSlots(slotsOf(set)))
  return set.words.buffer.byteLength === set.words.byteLength
    ? set
    : denseSet(set.words.slice(), count)
}

const ownSlots = (slots: Int32Array): Int32Array =>
  slots.buffer.byteLength === slots.byteLength ? slots : slots.slice()

/** O(1) for dense, O(log n) for sparse. */
export function contains(set: RecordSet, slot: number): boolean {
  return set.kind === 'dense' ? hasBit(set.words, slot) : placeOf(set.slots, slot) >= 0
}

/** The first place from `low` on whose record is not below the given one. O(log n). */
export function placeFrom(slots: Int32Array | readonly number[], slot: number, low = 0): number {
  let high = slots.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (slots[middle] < slot) low = middle + 1
    else high = middle
  }
  return low
}

/** The place of a record number in an ascending list of them, or -1. O(log n). */
export function placeOf(slots: Int32Array | readonly number[], slot: number): number {
  const place = placeFrom(slots, slot)
  return place < slots.length && slots[place] === slot ? place : -1
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

/** Two dense sets are combined on demand, see `DenseSet`. Otherwise O(the smaller set). */
export function intersection(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'dense' && b.kind === 'dense') return DenseSet.combined('and', a, b, allocator)
  const [few, other] =
    a.kind === 'sparse' && (b.kind === 'dense' || a.count <= b.count) ? [a, b] : [b, a]
  return keep(few as SparseSet, (slot) => contains(other, slot))
}

/** As `intersection` for two dense sets, otherwise O(both). */
export function union(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'dense')
    return b.kind === 'dense' ? DenseSet.combined('or', a, b, allocator) : withFew(a, b, allocator)
  return b.kind === 'dense' ? withFew(b, a, allocator) : mergeSparse(a, b)
}

/** Members of `a` that are not in `b`. As `intersection` for two dense sets, otherwise O(`a`). */
export function difference(a: RecordSet, b: RecordSet, allocator: WordAllocator): RecordSet {
  if (a.kind === 'sparse') return keep(a, (slot) => !contains(b, slot))
  return b.kind === 'dense'
    ? DenseSet.combined('except', a, b, allocator)
    : withoutFew(a, b, allocator)
}

function withFew(many: DenseSet, few: SparseSet, allocator: WordAllocator): DenseSet {
  const { slots } = few
  const last = slots.length === 0 ? -1 : slots[slots.length - 1]
  const words = allocator.take(Math.max(many.length, wordsFor(last + 1)))
  words.set(many.words)
  let { count } = many
  for (let i = 0; i < slots.length; i++) {
    if (!hasBit(words, slots[i])) count++
    setBit(words, slots[i])
  }
  return denseSet(words, count)
}

function withoutFew(many: DenseSet, { slots }: SparseSet, allocator: WordAllocator): DenseSet {
  const words = allocator.take(many.length)
  words.set(many.words)
  let { count } = many
  for (let i = 0; i < slots.length; i++) {
    if (!hasBit(words, slots[i])) continue
    clearBit(words, slots[i])
    count--
  }
  return denseSet(words, count)
}

/** True when the sets share a member; stops at the first. */
export function intersects(a: RecordSet, b: RecordSet): boolean {
  if (a.kind === 'dense' && b.kind === 'dense') return wordsIntersect(a.words, b.words)
  const [few, other] = a.kind === 'sparse' ? [a, b] : [b as SparseSet, a]
  for (let i = 0; i < few.slots.length; i++) if (contains(other, few.slots[i])) return true
  return false
}

/** The members for which `isKept` holds; the set itself where it holds for all. O(members). */
export function filterSet(
  set: RecordSet,
  isKept: (slot: number) => boolean,
  allocator: WordAllocator,
): RecordSet {
  if (set.kind === 'sparse') {
    const kept = keep(set, isKept)
    return kept.count === set.count ? set : kept
  }
  const dropped = keep(sparseSet(slotsOf(set)), (slot) => !isKept(slot))
  return dropped.count === 0 ? set : withoutFew(set, dropped, allocator)
}

/**
 * A set after some records were tested again: those of `looked` are members where `isMember`, all
 * others as before. `looked` may contain duplicates. Returns the set itself if nothing changed.
 * Cost O(k log k) for k records, and a copy of the set.
 */
export function correctedSet(
  set: RecordSet,
  looked: Iterable<number>,
  isMember: (slot: number) => boolean,
  allocator: WordAllocator,
): RecordSet {
  const added: number[] = []
  const dropped: number[] = []
  for (const slot of looked) {
    const belongs = isMember(slot)
    if (belongs !== contains(set, slot)) (belongs ? added : dropped).push(slot)
  }
  const left = dropped.length === 0 ? set : difference(set, ascending(dropped), allocator)
  return added.length === 0 ? left : union(left, ascending(added), allocator)
}

/** Without duplicates. */
const ascending = (slots: number[]): SparseSet =>
  sparseSet(slots.sort((a, b) => a - b).filter((slot, i) => slot !== slots[i - 1]))

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
