import { combineWords, countBits, type SetOperator } from './bitset.ts'
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
  readonly #operator: SetOperator
  #left: DenseSet | null
  #right: DenseSet | null
  #allocator: WordAllocator | null

  private constructor(
    length: number,
    words: Int32Array | null,
    count: number,
    operator: SetOperator,
    left: DenseSet | null,
    right: DenseSet | null,
    allocator: WordAllocator | null,
  ) {
    this.length = length
    this.#words = words
    this.#count = count
    this.#operator = operator
    this.#left = left
    this.#right = right
    this.#allocator = allocator
  }

  /** Takes over the words. `count` -1: counted on demand. */
  static of(words: Int32Array, count: number): DenseSet {
    return new DenseSet(words.length, words, count, 'and', null, null, null)
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
    return new DenseSet(length, null, -1, operator, left, right, allocator)
  }

  /** O(words) the first time for what was combined, O(1) after. */
  get words(): Int32Array {
    this.settle()
    return this.#words as Int32Array
  }

  /** O(words) the first time, O(1) after. */
  get count(): number {
    if (this.#count < 0) this.#count = this.#counted()
    return this.#count
  }

  #counted(): number {
    if (this.#words !== null) return countBits(this.#words)
    const count = this.#combine()
    if (count < 0) this.settle()
    return count < 0 ? this.#count : count
  }

  /** Materialises the words. */
  settle(): void {
    if (this.#words !== null) return
    const left = this.#left as DenseSet
    const right = this.#right as DenseSet
    const allocator = this.#allocator as WordAllocator
    const out = allocator.take(this.length)
    let count = this.#combine()
    if (count < 0) count = combineWords(this.#operator, left.words, right.words, out)
    else allocator.kernel?.copyResult(out)
    this.#count = count
    this.#words = out
    this.#left = null
    this.#right = null
    this.#allocator = null
  }

  /**
   * Combines in the kernel and counts; -1 where there is no kernel, or the sets are too small or
   * too large for it.
   */
  #combine(): number {
    const left = this.#left as DenseSet
    const right = this.#right as DenseSet
    if (Math.min(left.length, right.length) < MIN_KERNEL_WORDS) return -1
    return this.#allocator?.kernel?.combine(this.#operator, left, right) ?? -1
  }
}

function lengthOf(operator: SetOperator, left: number, right: number): number {
  if (operator === 'and') return Math.min(left, right)
  return operator === 'or' ? Math.max(left, right) : left
}
