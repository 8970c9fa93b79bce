import { numberSortSteps } from './slot-sorter.ts'
import { type BuildSteps, STEP_ENTRIES } from './text-prefixes.ts'
import { lengthened } from './vector.ts'

/** Capacity of a block, in entries. */
export const BLOCK = 512

/** A piece of a sorted index: the records of its first `count` entries, in index order. */
export interface IndexBlock {
  readonly slots: Int32Array
  /** Null in an index that keeps its keys elsewhere. */
  readonly numbers: Float64Array | null
  count: number
}

/**
 * A sorted index in blocks of at most 512 entries with a running count per block. A change moves
 * part of one block. The rank of a key takes two binary searches, so that ranges are counted, and
 * their pages reached, without walking them. Entries are ordered by key, then by record number.
 * Nulls have the lowest key.
 */
export abstract class BlockIndex<K> {
  /** None is empty. */
  blocks: IndexBlock[] = []
  /**
   * Where keys are numbers, the first key of each block. A search over the blocks then reads one
   * line of memory instead of many.
   */
  heads: Float64Array = new Float64Array(0)
  #spare: IndexBlock[] = []
  /** Entries before each block, and the total last; null after a change. */
  #before: Int32Array | null = null
  #size = 0

  // Each kind of key has its own searches: a comparison behind a call would cost more than the rest
  // of a change.
  /** The last block whose first entry stands at or before (`key`, `slot`), or the first block. */
  protected abstract blockOf(key: K, slot: number): number
  /** How many entries of a block stand before (`key`, `slot`). */
  protected abstract placeIn(block: IndexBlock, key: K, slot: number): number
  protected abstract createBlock(): IndexBlock

  get size(): number {
    return this.#size
  }
  /** Memory of the blocks. Cost: O(1). */
  get bytes(): number {
    const [block] = this.blocks
    if (block === undefined) return 0
    const each = block.slots.byteLength + (block.numbers?.byteLength ?? 0)
    return (this.blocks.length + this.#spare.length) * each + this.heads.byteLength
  }

  /** Creates the blocks that so many insertions may need, so that `insert` only writes. */
  reserve(insertions: number): void {
    const count = Math.min(insertions, this.blocks.length + (insertions >> 8)) + 1
    while (this.#spare.length < count) this.#spare.push(this.createBlock())
    const heads = this.blocks.length + count
    if (heads > this.heads.length) this.#reserveHeads(heads)
  }

  /** Takes over the entries of another index over equal keys, which must not be used any more. */
  adopt(other: BlockIndex<K>): void {
    this.blocks = other.blocks
    this.heads = other.heads
    this.#spare = other.#spare
    this.#before = null
    this.#size = other.#size
  }

  /** Cost O(log n) plus moving part of one block. */
  insert(key: K, slot: number): void {
    let at = this.blockOf(key, slot)
    let block = this.blocks[at]
    if (block === undefined) {
      block = this.#spare.pop() ?? this.createBlock()
      this.blocks.push(block)
      this.#reserveHeads(1)
      at = 0
    } else if (block.count === BLOCK) {
      const right = this.#split(at)
      if (this.placeIn(right, key, slot) > 0) block = right
    }
    const place = this.placeIn(block, key, slot)
    block.slots.copyWithin(place + 1, place, block.count)
    block.slots[place] = slot
    const { numbers } = block
    if (numbers !== null) {
      numbers.copyWithin(place + 1, place, block.count)
      numbers[place] = key as number
      // After a split no entry goes to the first place of the right half, so that the block is
      // still the one at `at`.
      if (place === 0) this.heads[at] = numbers[0]
    }
    block.count++
    this.#size++
    this.#before = null
  }

  /** Removes an entry; returns whether it was there. */
  remove(key: K, slot: number): boolean {
    const at = this.blockOf(key, slot)
    const block = this.blocks[at]
    if (block === undefined) return false
    const place = this.placeIn(block, key, slot)
    if (place >= block.count || block.slots[place] !== slot) return false
    block.slots.copyWithin(place, place + 1, block.count)
    block.numbers?.copyWithin(place, place + 1, block.count)
    block.count--
    this.#size--
    if (block.count > 0) {
      if (place === 0 && block.numbers !== null) this.heads[at] = block.numbers[0]
    } else {
      this.heads.copyWithin(at, at + 1, this.blocks.length)
      this.blocks.splice(at, 1)
      if (this.#spare.length < 2) this.#spare.push(block)
    }
    this.#before = null
    return true
  }

  /** Entries whose key is less than `key`. */
  lowerRank(key: K): number {
    return this.#rank(key, -1)
  }
  /** Entries whose key is at most `key`. */
  upperRank(key: K): number {
    return this.#rank(key, 2147483647)
  }

  /** The record at a rank. */
  slotAt(rank: number): number {
    const at = this.#blockAtRank(rank)
    return this.blocks[at].slots[rank - this.#counts()[at]]
  }

  /**
   * Writes the records of ranks [`from`, `to`) into `out`, in index order; descending when asked.
   * Returns how many.
   */
  slotsBetween(from: number, to: number, out: Int32Array, descending = false): number {
    if (to <= from) return 0
    const counts = this.#counts()
    let written = 0
    if (descending) {
      let at = this.#blockAtRank(to - 1)
      for (let rank = to - 1; rank >= from; at--) {
        const { slots } = this.blocks[at]
        const first = Math.max(from, counts[at])
        for (let i = rank - counts[at]; i >= first - counts[at]; i--) out[written++] = slots[i]
        rank = counts[at] - 1
      }
      return written
    }
    let at = this.#blockAtRank(from)
    for (let rank = from; rank < to; at++) {
      const { slots } = this.blocks[at]
      const end = Math.min(to, counts[at + 1])
      for (let i = rank - counts[at]; i < end - counts[at]; i++) out[written++] = slots[i]
      rank = end
    }
    return written
  }

  /**
   * Writes the records of ranks [`from`, `to`) that are below `bound` into `out` from `at` on;
   * returns where the next one goes. It stores without a branch, which is faster, so that `out`
   * needs room for one record more.
   */
  copyBelow(bound: number, from: number, to: number, out: Int32Array, at: number): number {
    if (to <= from) return at
    const counts = this.#counts()
    for (let block = this.#blockAtRank(from), rank = from; rank < to; block++) {
      const { slots } = this.blocks[block]
      const end = Math.min(to, counts[block + 1]) - counts[block]
      for (let i = rank - counts[block]; i < end; i++) {
        const slot = slots[i]
        out[at] = slot
        at += +(slot < bound)
      }
      rank = end + counts[block]
    }
    return at
  }

  /**
   * Replaces all entries by sorted ones; `fillBlock` writes `block.count` of them, beginning with
   * the one at `from`.
   */
  protected *fillSteps(
    count: number,
    fillBlock: (block: IndexBlock, from: number) => void,
  ): BuildSteps {
    const perBlock = (BLOCK * 7) >> 3
    const blocks: IndexBlock[] = []
    for (let from = 0; from < count; from += perBlock) {
      if (blocks.length % (STEP_ENTRIES / BLOCK) === 0) yield
      const block = this.createBlock()
      block.count = Math.min(perBlock, count - from)
      fillBlock(block, from)
      blocks.push(block)
    }
    this.blocks = blocks
    this.#size = count
    this.#before = null
    this.#reserveHeads(blocks.length)
    for (let i = 0; i < blocks.length; i++) this.heads[i] = blocks[i].numbers?.[0] ?? 0
  }

  #reserveHeads(blocks: number): void {
    if (blocks > this.heads.length) this.heads = lengthened(this.heads, blocks + (blocks >> 1) + 4)
  }

  #counts(): Int32Array {
    if (this.#before !== null) return this.#before
    const before = new Int32Array(this.blocks.length + 1)
    for (let i = 0; i < this.blocks.length; i++) before[i + 1] = before[i] + this.blocks[i].count
    this.#before = before
    return before
  }

  #rank(key: K, slot: number): number {
    if (this.#size === 0) return 0
    const at = this.blockOf(key, slot)
    return this.#counts()[at] + this.placeIn(this.blocks[at], key, slot)
  }

  #blockAtRank(rank: number): number {
    const counts = this.#counts()
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (counts[middle] <= rank) low = middle
      else high = middle - 1
    }
    return low
  }

  #split(at: number): IndexBlock {
    const block = this.blocks[at]
    const right = this.#spare.pop() ?? this.createBlock()
    const half = BLOCK >> 1
    right.slots.set(block.slots.subarray(half))
    if (block.numbers !== null) right.numbers?.set(block.numbers.subarray(half))
    right.count = BLOCK - half
    block.count = half
    this.#reserveHeads(this.blocks.length + 1)
    this.heads.copyWithin(at + 2, at + 1, this.blocks.length)
    this.heads[at + 1] = right.numbers?.[0] ?? 0
    this.blocks.splice(at + 1, 0, right)
    return right
  }
}

/** Index over numbers, with the keys in the blocks. Null is `-Infinity`. */
export class NumberIndex extends BlockIndex<number> {
  readonly kind = 'number'

  protected blockOf(key: number, slot: number): number {
    const { blocks, heads } = this
    let low = 0
    let high = blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      const first = heads[middle]
      if (first < key || (first === key && blocks[middle].slots[0] <= slot)) low = middle
      else high = middle - 1
    }
    return low
  }
  protected placeIn(block: IndexBlock, key: number, slot: number): number {
    const { slots } = block
    const numbers = block.numbers as Float64Array
    let low = 0
    let high = block.count
    while (low < high) {
      const middle = (low + high) >>> 1
      const here = numbers[middle]
      if (here < key || (here === key && slots[middle] < slot)) low = middle + 1
      else high = middle
    }
    return low
  }
  protected createBlock(): IndexBlock {
    return { slots: new Int32Array(BLOCK), numbers: new Float64Array(BLOCK), count: 0 }
  }

  /**
   * Replaces all entries by the given records, ascending, with their keys by place. Cost: a radix
   * sort.
   */
  *buildSteps(slots: Int32Array, keys: Float64Array): BuildSteps {
    const order = yield* numberSortSteps(keys)
    yield* this.fillSteps(order.length, (block, from) => {
      const numbers = block.numbers as Float64Array
      for (let i = 0; i < block.count; i++) {
        const at = order[from + i]
        numbers[i] = keys[at]
        block.slots[i] = slots[at]
      }
    })
  }
}
