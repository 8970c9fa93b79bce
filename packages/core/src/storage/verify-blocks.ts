import { BLOCK, type IndexBlock } from './index-block.ts'
import type { Broken } from './verify-words.ts'

interface Blocks {
  readonly blocks: readonly IndexBlock[]
  readonly heads: Float64Array
  readonly size: number
}

/**
 * Verifies the blocks of a sorted index: none is empty or too full, their sizes add up, and their
 * numbers are those of the column. `numberOf` returns the key of a record where keys are numbers.
 */
export function verifyBlocks(
  index: Blocks,
  numberOf: (slot: number) => number,
  broken: Broken,
): void {
  let size = 0
  for (const [at, { slots, numbers, count }] of index.blocks.entries()) {
    if (count < 1 || count > BLOCK) broken(`block ${at} of the index has ${count} entries`)
    size += count
    if (numbers === null) continue
    if (index.heads[at] !== numbers[0])
      broken(`the first number of block ${at} of the index is another one`)
    for (let i = 0; i < count; i++)
      if (numbers[i] !== numberOf(slots[i]))
        broken(`the index has record ${slots[i]} under ${numbers[i]}`)
  }
  if (size !== index.size) broken(`the blocks of the index hold ${size} entries of ${index.size}`)
}
