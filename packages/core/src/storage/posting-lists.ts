import { type BuildSteps, STEP_ENTRIES } from './text-prefixes.ts'
import { lengthened } from './vector.ts'

/**
 * Posting lists: for each list number (a word's code, a foreign key's number) the record numbers
 * that hold it, ascending. All lists share one vector. A list that outgrows its place moves to the
 * end; the vector is packed when half of it is waste.
 */
export class PostingLists {
  #data: Int32Array = new Int32Array(64)
  #end = 0
  #waste = 0
  #start: Int32Array = new Int32Array(16)
  #length: Int32Array = new Int32Array(16)
  #capacity: Int32Array = new Int32Array(16)

  /**
   * The vector that all lists share; valid until the next write. Read it with `start` and `length`.
   */
  get data(): Int32Array {
    return this.#data
  }
  /** Memory. Cost: O(1). */
  get bytes(): number {
    return this.#data.byteLength + 3 * this.#start.byteLength
  }
  start(list: number): number {
    return list < this.#start.length ? this.#start[list] : 0
  }
  length(list: number): number {
    return list < this.#length.length ? this.#length[list] : 0
  }
  /** Writes a list into `out` from `at` on; returns where the next entry goes. */
  copyInto(list: number, out: Int32Array, at: number): number {
    const data = this.#data
    const start = this.#start[list]
    const length = this.#length[list]
    for (let i = 0; i < length; i++) out[at + i] = data[start + i]
    return at + length
  }
  /**
   * Writes the entries of a list that are below `bound` into `out` from `at` on; returns where the
   * next entry goes.
   */
  copyBelow(bound: number, list: number, out: Int32Array, at: number): number {
    const data = this.#data
    const start = this.#start[list]
    const end = start + this.#length[list]
    for (let i = start; i < end && data[i] < bound; i++) out[at++] = data[i]
    return at
  }
  /** Lists are numbered below this. */
  get listLimit(): number {
    return this.#start.length
  }

  /** Makes room for one more member of a list, so that `insert` only writes. Amortised O(1). */
  reserve(list: number, extra = 1): void {
    if (list >= this.#start.length) this.#growLists(list + 1)
    const needed = this.#length[list] + extra
    if (needed <= this.#capacity[list]) return
    const capacity = Math.max(4, needed + (needed >> 1))
    if (this.#end + capacity > this.#data.length) this.#growData(capacity)
    this.#data.copyWithin(this.#end, this.#start[list], this.#start[list] + this.#length[list])
    this.#waste += this.#capacity[list]
    this.#start[list] = this.#end
    this.#capacity[list] = capacity
    this.#end += capacity
  }

  /**
   * Cost O(log n) to find the place, plus moving the entries after it. Appending, the usual case,
   * moves none.
   */
  insert(list: number, slot: number): void {
    this.reserve(list)
    const start = this.#start[list]
    const end = start + this.#length[list]
    const at = end > start && this.#data[end - 1] > slot ? this.#place(start, end, slot) : end
    if (at < end) this.#data.copyWithin(at + 1, at, end)
    this.#data[at] = slot
    this.#length[list]++
  }

  /**
   * Cost O(log n) to find the place, plus moving the shorter side of it. Removing from either end
   * moves nothing.
   */
  remove(list: number, slot: number): void {
    const start = this.#start[list]
    const end = start + this.#length[list]
    const at = this.#place(start, end, slot)
    if (at === end || this.#data[at] !== slot) return
    if (at - start < end - at - 1) {
      this.#data.copyWithin(start + 1, start, at)
      this.#start[list]++
      this.#capacity[list]--
      this.#waste++
    } else this.#data.copyWithin(at, at + 1, end)
    this.#length[list]--
  }

  has(list: number, slot: number): boolean {
    const start = this.start(list)
    const end = start + this.length(list)
    const at = this.#place(start, end, slot)
    return at < end && this.#data[at] === slot
  }

  /**
   * Replaces all lists. Takes the list number of each record (-1: in none), by record number, and
   * the number of lists. Counting sort: O(records + lists).
   */
  *buildSteps(listOf: Int32Array, lists: number): BuildSteps {
    const length = new Int32Array(lists)
    for (let slot = 0; slot < listOf.length; slot++) if (listOf[slot] >= 0) length[listOf[slot]]++
    yield
    const cursor = this.layOut(length)
    for (let from = 0; from < listOf.length; from += STEP_ENTRIES) {
      this.#enter(listOf, cursor, from, Math.min(listOf.length, from + STEP_ENTRIES))
      yield
    }
  }

  #enter(listOf: Int32Array, cursor: Int32Array, from: number, to: number): void {
    for (let slot = from; slot < to; slot++)
      if (listOf[slot] >= 0) this.#data[cursor[listOf[slot]]++] = slot
  }

  /**
   * Replaces all lists by lists of these lengths, one after the other in `data`, which the caller
   * fills. Returns where each begins.
   */
  layOut(length: Int32Array): Int32Array {
    const start = new Int32Array(length.length)
    let end = 0
    for (let list = 0; list < length.length; list++) {
      start[list] = end
      end += length[list]
    }
    this.#data = new Int32Array(end + 64)
    this.#start = start
    this.#length = length
    this.#capacity = length.slice()
    this.#end = end
    this.#waste = 0
    return start.slice()
  }

  #place(start: number, end: number, slot: number): number {
    let low = start
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#data[middle] < slot) low = middle + 1
      else high = middle
    }
    return low
  }

  #growLists(lists: number): void {
    const size = Math.max(lists, this.#start.length * 2)
    this.#start = lengthened(this.#start, size)
    this.#length = lengthened(this.#length, size)
    this.#capacity = lengthened(this.#capacity, size)
  }

  #growData(extra: number): void {
    const used = this.#end - this.#waste
    const isPacking = this.#waste > this.#end >> 1
    const needed = (isPacking ? used : this.#end) + extra
    const size = Math.max(64, needed + (needed >> 1))
    if (!isPacking) {
      this.#data = lengthened(this.#data, size)
      return
    }
    const grown = new Int32Array(size)
    let end = 0
    for (let list = 0; list < this.#start.length; list++) {
      const capacity = this.#capacity[list]
      if (capacity === 0) continue
      const from = this.#start[list]
      grown.set(this.#data.subarray(from, from + this.#length[list]), end)
      this.#start[list] = end
      end += capacity
    }
    this.#data = grown
    this.#end = end
    this.#waste = 0
  }
}
