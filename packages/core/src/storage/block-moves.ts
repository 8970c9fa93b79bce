import { BlockShift, isBefore, type Share, type SortedEntries } from './block-shift.ts'
import { BLOCK, type IndexBlock } from './index-block.ts'
import { sortByNumber } from './sort-by-number.ts'

/** Entries of a number index. */
export class NumberEntries {
  readonly keys: number[] = []
  readonly slots: number[] = []

  /** Null is `-Infinity`. */
  add(key: number, slot: number): void {
    this.keys.push(key)
    this.slots.push(slot)
  }

  /** The same in index order: by key, then by record number. Cost: a radix sort. */
  sorted(): SortedEntries {
    const order = sortByNumber(new Float64Array(this.keys))
    const keys = new Float64Array(order.length)
    const slots = new Int32Array(order.length)
    for (let i = 0; i < order.length; i++) {
      keys[i] = this.keys[order[i]]
      slots[i] = this.slots[order[i]]
    }
    for (let from = 0; from < keys.length; ) {
      let to = from + 1
      while (to < keys.length && keys[to] === keys[from]) to++
      if (to - from > 1) slots.subarray(from, to).sort()
      from = to
    }
    return { keys, slots }
  }
}

/**
 * Many entries that leave a number index and many that enter it, shared out among its blocks, so that each block is passed over once
 * instead of being searched and shifted for every entry.
 */
export class BlockMoves {
  readonly #leaving: SortedEntries
  readonly #entering: SortedEntries
  readonly #shares: Share[] = []
  /** What has no room where it belongs: to be inserted one by one afterwards. */
  readonly left: { readonly keys: number[]; readonly slots: number[] } = { keys: [], slots: [] }
  /** Blocks that inserting what is left may need. */
  mostSplits = 0

  constructor(leaving: SortedEntries, entering: SortedEntries) {
    this.#leaving = leaving
    this.#entering = entering
  }

  /** Shares out; `blockOf` tells the block of an entry. Changes no block. */
  share(blocks: readonly IndexBlock[], blockOf: (key: number, slot: number) => number): void {
    const leaving = this.#leaving
    const entering = this.#entering
    let leavingFrom = 0
    let enteringFrom = 0
    while (leavingFrom < leaving.slots.length || enteringFrom < entering.slots.length) {
      const isLeaving = isFirst(leaving, leavingFrom, entering, enteringFrom)
      const [next, from] = isLeaving ? [leaving, leavingFrom] : [entering, enteringFrom]
      const at = blockOf(next.keys[from], next.slots[from])
      const after = blocks[at + 1]
      const leavingTo = endBefore(leaving, leavingFrom, after)
      const enteringTo = endBefore(entering, enteringFrom, after)
      this.#give({ at, leavingFrom, leavingTo, enteringFrom, enteringTo }, blocks[at])
      leavingFrom = leavingTo
      enteringFrom = enteringTo
    }
  }

  /** Writes into the blocks what was shared out on this very state of them; some may be empty afterwards. */
  apply(blocks: readonly IndexBlock[]): void {
    const shift = new BlockShift()
    for (const share of this.#shares) shift.apply(blocks[share.at], share, this.#leaving, this.#entering)
  }

  #give(share: Share, block: IndexBlock | undefined): void {
    const { leavingFrom, leavingTo, enteringFrom, enteringTo } = share
    const room = block === undefined ? 0 : block.slots.length - block.count + (leavingTo - leavingFrom)
    const coming = enteringTo - enteringFrom
    if (coming <= room) {
      this.#shares.push(share)
      return
    }
    for (let i = enteringFrom; i < enteringTo; i++) {
      this.left.keys.push(this.#entering.keys[i])
      this.left.slots.push(this.#entering.slots[i])
    }
    // Each split leaves half a block of room on either side.
    this.mostSplits += Math.ceil(coming / (BLOCK >> 1)) + 1
    if (leavingTo > leavingFrom) this.#shares.push({ ...share, enteringTo: enteringFrom })
  }
}

function isFirst(a: SortedEntries, i: number, b: SortedEntries, j: number): boolean {
  if (j >= b.slots.length) return true
  if (i >= a.slots.length) return false
  return isBefore(a, i, b, j)
}

/** Where the entries end that stand before the first one of a block. */
function endBefore({ keys, slots }: SortedEntries, from: number, block: IndexBlock | undefined): number {
  if (block === undefined) return slots.length
  const key = (block.numbers as Float64Array)[0]
  const slot = block.slots[0]
  let to = from
  while (to < slots.length && (keys[to] < key || (keys[to] === key && slots[to] < slot))) to++
  return to
}
