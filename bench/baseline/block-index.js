import { orderByKey } from './radix-order.js'

const blockCapacity = 512
/** Blocks are built three quarters full, to leave space for insertions. */
const builtFill = (blockCapacity * 3) / 4
const aboveEveryRecord = 2 ** 31 - 1
const belowEveryRecord = -1

class Block {
  constructor() {
    this.keys = new Float64Array(blockCapacity)
    this.records = new Int32Array(blockCapacity)
    this.length = 0
  }
}

/**
 * An ordered index: (key, record number) pairs in ascending order, in blocks of at most 512.
 *
 * A change costs one binary search over the block heads, one within the block and a `copyWithin`.
 * The number of pairs before each block is recomputed on demand. With it, a rank or the count of a
 * range takes two binary searches.
 */
export class BlockIndex {
  /** @type {Block[]} never empty */
  blocks = []
  /** @type {Int32Array | null} pairs before each block, then the total; null after a change */
  #starts = null

  /**
   * @param {ArrayLike<number>} keys   by record number
   * @param {number} count             records 0 to count - 1 are indexed
   */
  constructor(keys, count) {
    const order = orderByKey(keys, count)
    for (let from = 0; from < count; from += builtFill) {
      const block = new Block()
      block.length = Math.min(builtFill, count - from)
      for (let at = 0; at < block.length; at++) {
        const record = order[from + at]
        block.records[at] = record
        block.keys[at] = keys[record]
      }
      this.blocks.push(block)
    }
    if (this.blocks.length === 0) this.blocks.push(new Block())
  }

  insert(key, record) {
    const at = this.#blockOf(key, record)
    let block = this.blocks[at]
    if (block.length === blockCapacity) {
      const upper = splitBlock(block)
      this.blocks.splice(at + 1, 0, upper)
      if (key > upper.keys[0] || (key === upper.keys[0] && record >= upper.records[0]))
        block = upper
    }
    const place = placeIn(block, key, record)
    block.keys.copyWithin(place + 1, place, block.length)
    block.records.copyWithin(place + 1, place, block.length)
    block.keys[place] = key
    block.records[place] = record
    block.length++
    this.#starts = null
  }

  remove(key, record) {
    const at = this.#blockOf(key, record)
    const block = this.blocks[at]
    const place = placeIn(block, key, record)
    if (place >= block.length || block.records[place] !== record)
      throw new Error('The index does not contain this pair.')
    block.keys.copyWithin(place, place + 1, block.length)
    block.records.copyWithin(place, place + 1, block.length)
    block.length--
    if (block.length === 0 && this.blocks.length > 1) this.blocks.splice(at, 1)
    this.#starts = null
  }

  /** The number of pairs before each block, and the total at the end. */
  starts() {
    if (this.#starts !== null) return this.#starts
    const starts = new Int32Array(this.blocks.length + 1)
    for (let i = 0; i < this.blocks.length; i++) starts[i + 1] = starts[i] + this.blocks[i].length
    return (this.#starts = starts)
  }

  /** The number of pairs with a key of at most `key`. */
  countUpTo(key) {
    return this.#rank(key, aboveEveryRecord)
  }

  /** The number of pairs with a key in [low, high]. */
  countRange(low, high) {
    return this.#rank(high, aboveEveryRecord) - this.#rank(low, belowEveryRecord)
  }

  /** The first `count` record numbers with a key in [low, high], by key. */
  take(low, high, count) {
    const records = []
    let at = this.#blockOf(low, belowEveryRecord)
    let place = placeIn(this.blocks[at], low, belowEveryRecord)
    for (; at < this.blocks.length && records.length < count; at++, place = 0) {
      const block = this.blocks[at]
      for (; place < block.length; place++) {
        if (block.keys[place] > high || records.length >= count) return records
        records.push(block.records[place])
      }
    }
    return records
  }

  #rank(key, record) {
    const at = this.#blockOf(key, record)
    return this.starts()[at] + placeIn(this.blocks[at], key, record)
  }

  /** The last block whose first pair is at most (key, record), otherwise the first block. */
  #blockOf(key, record) {
    const blocks = this.blocks
    let low = 0
    let high = blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      const block = blocks[middle]
      const head = block.keys[0]
      if (head < key || (head === key && block.records[0] <= record)) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The number of pairs of the block that are less than (key, record). */
function placeIn(block, key, record) {
  const { keys, records } = block
  let low = 0
  let high = block.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle] < key || (keys[middle] === key && records[middle] < record)) low = middle + 1
    else high = middle
  }
  return low
}

/** Moves the upper half of a full block into a new one. */
function splitBlock(block) {
  const half = blockCapacity / 2
  const upper = new Block()
  upper.keys.set(block.keys.subarray(half))
  upper.records.set(block.records.subarray(half))
  upper.length = blockCapacity - half
  block.length = half
  return upper
}
