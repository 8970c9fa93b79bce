import type { StorageAttribute } from '@entia/core'
import { convertValue } from './convert-value.ts'

/**
 * Rows of a file with the same names, in the order of the file. Cells of CSV are texts, or null if
 * empty; JSON keeps its types. A block is valid until the next one is read.
 */
export interface RecordBlock {
  readonly names: readonly string[]
  /** The number of rows. */
  readonly count: number
  /** The values of a column, by row. */
  values(column: number): readonly unknown[]
  /** The same, each as `convertValue` gives it for the attribute. */
  converted(column: number, attribute: Pick<StorageAttribute, 'type'>): readonly unknown[]
}

/** Rows of JSON, as values by column. */
class ValueBlock implements RecordBlock {
  readonly names: readonly string[]
  count = 0
  readonly #columns: readonly unknown[][]

  constructor(names: readonly string[]) {
    this.names = names
    this.#columns = names.map(() => [])
  }

  add(values: readonly unknown[]): void {
    for (let at = 0; at < values.length; at++) this.#columns[at]!.push(values[at])
    this.count++
  }
  values(column: number): readonly unknown[] {
    return this.#columns[column]!
  }
  converted(column: number, attribute: Pick<StorageAttribute, 'type'>): readonly unknown[] {
    return this.values(column).map((value) => convertValue(value, attribute))
  }
}

/** Rows of one block: more of them would only take memory. */
const MAX_ROWS = 4096

/** Consecutive objects with the same names, as blocks. */
export function* blocksOf(
  rows: Iterable<Readonly<Record<string, unknown>>>,
): Iterable<RecordBlock> {
  let block: ValueBlock | null = null
  for (const row of rows) {
    const names = Object.keys(row)
    if (block === null || block.count === MAX_ROWS || !areSame(block.names, names)) {
      if (block !== null) yield block
      block = new ValueBlock(names)
    }
    block.add(Object.values(row))
  }
  if (block !== null) yield block
}

const areSame = (names: readonly string[], others: readonly string[]): boolean =>
  names.length === others.length && names.every((name, at) => name === others[at])
