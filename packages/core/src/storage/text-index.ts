import { BLOCK, BlockIndex, type IndexBlock } from './block-index.ts'
import { textSortSteps } from './slot-sorter.ts'
import { type BuildSteps, STEP_ENTRIES } from './text-prefixes.ts'

/**
 * Index over text without a dictionary. The blocks hold only records, compared by the column's
 * keys. Null is first.
 */
export class TextIndex extends BlockIndex<string | null> {
  readonly kind = 'text'
  readonly #keyOf: (slot: number) => string | null

  /** `keyOf` must still return the old key while an entry is removed. */
  constructor(keyOf: (slot: number) => string | null) {
    super()
    this.#keyOf = keyOf
  }
  protected blockOf(key: string | null, slot: number): number {
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#isBefore(this.blocks[middle].slots[0], key, slot + 1)) low = middle
      else high = middle - 1
    }
    return low
  }
  protected placeIn(block: IndexBlock, key: string | null, slot: number): number {
    let low = 0
    let high = block.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(block.slots[middle], key, slot)) low = middle + 1
      else high = middle
    }
    return low
  }
  protected createBlock(): IndexBlock {
    return { slots: new Int32Array(BLOCK), numbers: null, count: 0 }
  }

  #isBefore(entry: number, key: string | null, slot: number): boolean {
    const here = this.#keyOf(entry)
    if (here === key) return entry < slot
    return here === null || (key !== null && here < key)
  }

  *buildSteps(slots: Int32Array): BuildSteps {
    const texts: (string | null)[] = []
    for (let i = 0; i < slots.length; i++) {
      texts.push(this.#keyOf(slots[i]))
      if (i % STEP_ENTRIES === 0) yield
    }
    const order = yield* textSortSteps(texts)
    yield* this.fillSteps(order.length, (block, from) => {
      for (let i = 0; i < block.count; i++) block.slots[i] = slots[order[from + i]]
    })
  }
}
