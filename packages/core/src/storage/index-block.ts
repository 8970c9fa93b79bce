/** Entries a block has room for. */
export const BLOCK = 512

/** A piece of a sorted index: the records of its first `count` entries, in index order. */
export interface IndexBlock {
  readonly slots: Int32Array
  /** Only in an index that keeps its keys in the blocks. */
  readonly numbers: Float64Array | null
  count: number
}
