type Key = string | number

/** Entries of one block, which are searched one after the other. */
const BLOCK = 64

/**
 * Ranges of keys, each with an owner. It finds the ranges that contain a key. They are sorted by
 * their lower ends, in blocks that record their highest end. Cost of a search: O(ranges / 64)
 * comparisons and a scan of the blocks that may match; of a change: O(64).
 */
export class RangeList<K extends Key, Q> {
  readonly #blocks: Block<K, Q>[] = []
  size = 0

  /** Both ends are inclusive. `high` is null for no upper end. */
  add(low: K, high: K | null, owner: Q): void {
    this.size++
    const at = Math.max(0, this.#blockOf(low))
    if (this.#blocks.length === 0) this.#blocks.push(new Block())
    const block = this.#blocks[at]
    block.add(low, high, owner)
    if (block.lows.length > 2 * BLOCK) this.#blocks.splice(at + 1, 0, block.split())
  }

  /** Removes a range that was added with the same ends. */
  delete(low: K, high: K | null, owner: Q): void {
    // Equal lower ends may fill several blocks; the search finds the last of them.
    for (let at = this.#blockOf(low); at >= 0; at--) {
      const block = this.#blocks[at]
      if (block.delete(low, high, owner)) {
        this.size--
        if (block.lows.length === 0) this.#blocks.splice(at, 1)
        return
      }
      if (block.lows[0] < low) return
    }
  }

  collect(key: K, found: (owner: Q) => void): void {
    const blocks = this.#blocks
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]
      const { lows, highs, owners, highest } = block
      if (lows[0] > key) return
      if (highest !== null && highest < key) continue
      for (let at = 0; at < lows.length && lows[at] <= key; at++) {
        const high = highs[at]
        if (high === null || key <= high) found(owners[at])
      }
    }
  }

  /** The last block that begins at or before a key; -1 if none does. */
  #blockOf(low: K): number {
    let from = 0
    let end = this.#blocks.length
    while (from < end) {
      const middle = (from + end) >>> 1
      if (this.#blocks[middle].lows[0] <= low) from = middle + 1
      else end = middle
    }
    return from - 1
  }
}

class Block<K extends Key, Q> {
  lows: K[] = []
  highs: (K | null)[] = []
  owners: Q[] = []
  /** The highest upper end; null for no end. */
  highest: K | null = null

  add(low: K, high: K | null, owner: Q): void {
    const { lows } = this
    let at = lows.length
    while (at > 0 && lows[at - 1] > low) at--
    lows.splice(at, 0, low)
    this.highs.splice(at, 0, high)
    this.owners.splice(at, 0, owner)
    if (lows.length === 1) this.highest = high
    else if (this.highest !== null)
      this.highest = high === null || high > this.highest ? high : this.highest
  }

  delete(low: K, high: K | null, owner: Q): boolean {
    for (let at = 0; at < this.lows.length; at++) {
      if (this.owners[at] !== owner || this.lows[at] !== low || this.highs[at] !== high) continue
      this.lows.splice(at, 1)
      this.highs.splice(at, 1)
      this.owners.splice(at, 1)
      if (high === this.highest) this.#findHighest()
      return true
    }
    return false
  }

  /** Splits off the upper half and returns it. */
  split(): Block<K, Q> {
    const upper = new Block<K, Q>()
    upper.lows = this.lows.splice(BLOCK)
    upper.highs = this.highs.splice(BLOCK)
    upper.owners = this.owners.splice(BLOCK)
    upper.#findHighest()
    this.#findHighest()
    return upper
  }

  #findHighest(): void {
    this.highest = null
    for (let at = 0; at < this.highs.length; at++) {
      const high = this.highs[at]
      if (high === null) {
        this.highest = null
        return
      }
      if (this.highest === null || high > this.highest) this.highest = high
    }
  }
}
