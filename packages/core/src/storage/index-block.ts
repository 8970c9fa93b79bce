/** Capacity of a block, in entries. */
export const BLOCK = 512

/** A piece of a sorted index: the records of its first `count` entries, in index order. */
export interface IndexBlock {
  readonly slots: Int32Array
  /** Null in an index that keeps its keys elsewhere. */
  readonly numbers: Float64Array | null
  count: number
}
