import { combineWords, countBits, type SetOperator } from './bitset.ts'
import type { BitsetKernel, KernelOperand } from './bitset-kernel.ts'
import type { WordAllocator } from './word-allocator.ts'

/** Below so many words a loop of our own is done before a kernel has its copies. */
const LEAST_WORDS = 256

/**
 * A set of record numbers as words that never change. What two sets combine to is put down when its members are first asked for:
 * often only their count is, for which no memory is needed. Until then it holds on to both.
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

  /** The words are its own from now on. `count` -1: to be counted when asked for. */
  static of(words: Int32Array, count: number): DenseSet {
    return new DenseSet(words.length, words, count, 'and', null, null, null)
  }
  /** Puts both down first where they are combinations themselves: what waits is never more than one deep. */
  static combined(operator: SetOperator, left: DenseSet, right: DenseSet, allocator: WordAllocator): DenseSet {
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

  /** Puts the words down, where that was not done yet. */
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

  /** Combines in the kernel and counts; -1 where there is none, or not for such sets. */
  #combine(): number {
    const left = this.#left as DenseSet
    const right = this.#right as DenseSet
    if (Math.min(left.length, right.length) < LEAST_WORDS) return -1
    return this.#allocator?.kernel?.combine(this.#operator, left, right) ?? -1
  }
}

function lengthOf(operator: SetOperator, left: number, right: number): number {
  if (operator === 'and') return Math.min(left, right)
  return operator === 'or' ? Math.max(left, right) : left
}
