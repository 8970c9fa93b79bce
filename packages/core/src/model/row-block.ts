import { refused } from '../value/check-options.ts'

/** Marks blocks, also those of another copy of this package. */
const ROW_BLOCK: unique symbol = Symbol.for('entia.rowBlock')

/**
 * Many rows by column, for `load` in place of as many objects. It takes the names of the attributes
 * and, for each name, the values of all rows; `undefined` is a value that a row does not give. A
 * load reads a block faster than as many objects. Throws `argumentInvalid` for a name without
 * column.
 */
export class RowBlock {
  readonly [ROW_BLOCK] = true
  readonly names: readonly string[]
  readonly columns: readonly (readonly unknown[])[]
  /** The number of rows. */
  readonly count: number

  constructor(
    names: readonly string[],
    columns: readonly (readonly unknown[])[],
    count = columns[0]?.length ?? 0,
  ) {
    if (columns.length !== names.length)
      throw refused(
        'The columns of a block of rows',
        `${names.length} lists, one for each name`,
        String(columns.length),
      )
    this.names = names
    this.columns = columns
    this.count = count
  }
}

export function isRowBlock(value: unknown): value is RowBlock {
  return typeof value === 'object' && value !== null && ROW_BLOCK in value
}

/** One row of a block as an object. */
export function rowAt({ names, columns }: RowBlock, at: number): object {
  const entries = names.map((name, place) => [name, columns[place][at]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
