/** A binary heap of record numbers with the lowest on top. O(log n) per change. */
export class SlotHeap {
  readonly #slots: number[] = []

  /** The lowest, or `Infinity` when empty. */
  get lowest(): number {
    return this.#slots.length === 0 ? Number.POSITIVE_INFINITY : this.#slots[0]
  }

  add(slot: number): void {
    const slots = this.#slots
    let at = slots.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (slots[parent] <= slot) break
      slots[at] = slots[parent]
      at = parent
    }
    slots[at] = slot
  }

  removeLowest(): void {
    const slots = this.#slots
    const last = slots.pop()
    if (last === undefined || slots.length === 0) return
    let at = 0
    for (let child = 1; child < slots.length; child = at * 2 + 1) {
      if (child + 1 < slots.length && slots[child + 1] < slots[child]) child++
      if (slots[child] >= last) break
      slots[at] = slots[child]
      at = child
    }
    slots[at] = last
  }
}

/** Buckets of a new map; a power of two. */
const MIN_BUCKETS = 64
/** A map with as many buckets is replaced instead of reused. */
const MAX_REUSED_BUCKETS = 65_536

/**
 * Record number -> place in a list, for the staged records of a transaction: open addressing in one
 * vector, which transactions use one after the other. With a `Map`, a batch of updates takes a
 * tenth longer. All is O(1); `clear` is O(entries).
 */
export class SlotMap {
  /** Two numbers per bucket: record number + 1 (0: free), and the place. */
  #pairs = new Int32Array(MIN_BUCKETS * 2)
  #mask = MIN_BUCKETS - 1
  /** Where in `#pairs` the buckets in use begin, in the order of entry. */
  readonly #used: number[] = []

  /** The place entered for a record number, or -1. */
  find(slot: number): number {
    const pairs = this.#pairs
    const mask = this.#mask
    const sought = slot + 1
    for (let bucket = bucketOf(slot, mask); ; bucket = (bucket + 1) & mask) {
      const held = pairs[bucket * 2]
      if (held === sought) return pairs[bucket * 2 + 1]
      if (held === 0) return -1
    }
  }

  /** Enters or replaces a place; -1 means none. */
  set(slot: number, place: number): void {
    // Half of the buckets stay free, so that searches are short and end.
    if (this.#used.length * 2 > this.#mask) this.#grow()
    const pairs = this.#pairs
    const mask = this.#mask
    let bucket = bucketOf(slot, mask)
    while (pairs[bucket * 2] !== 0 && pairs[bucket * 2] !== slot + 1) bucket = (bucket + 1) & mask
    if (pairs[bucket * 2] === 0) this.#used.push(bucket * 2)
    pairs[bucket * 2] = slot + 1
    pairs[bucket * 2 + 1] = place
  }

  clear(): void {
    const used = this.#used
    if (this.#mask >= MAX_REUSED_BUCKETS) {
      this.#pairs = new Int32Array(MIN_BUCKETS * 2)
      this.#mask = MIN_BUCKETS - 1
    } else for (let i = 0; i < used.length; i++) this.#pairs[used[i]] = 0
    used.length = 0
  }

  #grow(): void {
    const old = this.#pairs
    const used = this.#used.slice()
    this.#pairs = new Int32Array(old.length * 2)
    this.#mask = old.length - 1
    this.#used.length = 0
    for (const at of used) this.set(old[at] - 1, old[at + 1])
  }
}

/** Multiplication spreads record numbers that lie side by side, or a power of two apart. */
const bucketOf = (slot: number, mask: number): number => {
  const mixed = Math.imul(slot, 0x9e3779b1)
  return (mixed ^ (mixed >>> 16)) & mask
}
