import { invariant } from '../errors.ts'
import type { IndexBlock } from './index-block.ts'

/** Entries in index order: by key, then by record number. */
export interface SortedEntries {
  readonly keys: Float64Array
  readonly slots: Int32Array
}

/** What one block loses and gets: places in the sorted entries. */
export interface Share {
  readonly at: number
  readonly leavingFrom: number
  readonly leavingTo: number
  readonly enteringFrom: number
  readonly enteringTo: number
}

/** Runs longer than this are moved by the engine, shorter ones by a loop: a call costs as much as some tens of entries. */
const LONG = 40

/**
 * Entries leaving and entering one block at once. What stands between two of them is a run, which moves as a whole, by as many places
 * as entered before it less those that left: each entry moves once, and not at all where that is none.
 */
export class BlockShift {
  // By run: where it begins and ends, and how far it moves.
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #by: number[] = []
  /** Where each entering entry goes. */
  readonly #places: number[] = []

  /** There is room for what enters. Cost: a search per entry that leaves or enters, and the runs that move. */
  apply(block: IndexBlock, share: Share, leaving: SortedEntries, entering: SortedEntries): void {
    const { leavingTo, enteringFrom, enteringTo } = share
    const places = this.#places
    this.#from.length = 0
    this.#to.length = 0
    this.#by.length = 0
    places.length = 0
    let runFrom = 0
    let by = 0
    let out = share.leavingFrom
    let coming = enteringFrom
    while (out < leavingTo || coming < enteringTo) {
      if (out < leavingTo && (coming === enteringTo || isBefore(leaving, out, entering, coming))) {
        const place = placeIn(block, runFrom, leaving.keys[out], leaving.slots[out])
        invariant(block.slots[place] === leaving.slots[out], 'what leaves an index is in it')
        this.#run(runFrom, place, by)
        runFrom = place + 1
        by--
        out++
      } else {
        const place = placeIn(block, runFrom, entering.keys[coming], entering.slots[coming])
        this.#run(runFrom, place, by)
        runFrom = place
        places.push(place + by)
        by++
        coming++
      }
    }
    this.#run(runFrom, block.count, by)
    this.#move(block)
    block.count += by
    const numbers = block.numbers as Float64Array
    for (let i = 0; i < places.length; i++) {
      block.slots[places[i]] = entering.slots[enteringFrom + i]
      numbers[places[i]] = entering.keys[enteringFrom + i]
    }
  }

  #run(from: number, to: number, by: number): void {
    if (from === to || by === 0) return
    this.#from.push(from)
    this.#to.push(to)
    this.#by.push(by)
  }

  /**
   * Between a run that moves left and one that moves right stands one that stays: so those to the left can be moved in order, then
   * those to the right in reverse, without any being written over.
   */
  #move(block: IndexBlock): void {
    const by = this.#by
    for (let i = 0; i < by.length; i++) if (by[i] < 0) moveLeft(block, this.#from[i], this.#to[i], -by[i])
    for (let i = by.length - 1; i >= 0; i--) if (by[i] > 0) moveRight(block, this.#from[i], this.#to[i], by[i])
  }
}

/** Of equal entries the one that leaves comes first. */
export function isBefore(leaving: SortedEntries, i: number, entering: SortedEntries, j: number): boolean {
  const key = leaving.keys[i]
  const other = entering.keys[j]
  return key < other || (key === other && leaving.slots[i] <= entering.slots[j])
}

function moveLeft({ slots, numbers }: IndexBlock, from: number, to: number, by: number): void {
  const keys = numbers as Float64Array
  if (to - from > LONG) {
    slots.copyWithin(from - by, from, to)
    keys.copyWithin(from - by, from, to)
    return
  }
  for (let i = from; i < to; i++) {
    slots[i - by] = slots[i]
    keys[i - by] = keys[i]
  }
}

function moveRight({ slots, numbers }: IndexBlock, from: number, to: number, by: number): void {
  const keys = numbers as Float64Array
  if (to - from > LONG) {
    slots.copyWithin(from + by, from, to)
    keys.copyWithin(from + by, from, to)
    return
  }
  for (let i = to - 1; i >= from; i--) {
    slots[i + by] = slots[i]
    keys[i + by] = keys[i]
  }
}

/** How many entries of a block, of which `from` are known to, stand before (`key`, `slot`). */
function placeIn({ slots, numbers, count }: IndexBlock, from: number, key: number, slot: number): number {
  const keys = numbers as Float64Array
  let low = from
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle] < key || (keys[middle] === key && slots[middle] < slot)) low = middle + 1
    else high = middle
  }
  return low
}
