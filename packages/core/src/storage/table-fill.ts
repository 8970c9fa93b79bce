import type { StoredValue } from '../value/types.ts'
import { AttributeIndex } from './attribute-index.ts'
import { WordColumn } from './column.ts'
import type { Table } from './table.ts'
import { TableLoad, tidyColumn } from './table-load.ts'
import type { BuildSteps } from './text-prefixes.ts'
import { codesInOrder } from './word-order.ts'

/** New records, column by column. */
export interface RecordBlock {
  /** Free slots, ascending, behind those of the blocks before. */
  readonly slots: Int32Array
  readonly stamps: readonly number[]
  readonly timestamps: readonly number[]
  /** Values by column and record. They must be valid: nothing is checked. */
  readonly columns: readonly (readonly StoredValue[])[]
}

/**
 * Records of the first look at dictionaries whose words hardly repeat; then twice as many … Fewer
 * do not show whether words repeat.
 */
const FIRST_TIDY = 1 << 16

/**
 * Fills an empty table block by block, so that others may run meanwhile. The table has no indexes
 * until the last step of `finish`: it must not be read or written before.
 */
export class TableFill {
  readonly #table: Table
  /** The indexes to be built at the end, as they were. */
  readonly #later: readonly (AttributeIndex | null)[]
  #tidyAt = FIRST_TIDY

  /** Makes room for so many records; more may come. */
  constructor(table: Table, expected: number) {
    this.#table = table
    table.reserve(expected)
    table.keys.reserveTexts(table.columns[table.model.key.ordinal].layout === 'text' ? expected : 0)
    this.#later = table.indexes
    table.indexes = table.indexes.map(() => null)
    for (const column of table.columns)
      if (column instanceof WordColumn) column.dictionary.suspendOrder()
  }

  /** Cost: O(records). */
  add({ slots, stamps, timestamps, columns }: RecordBlock, nextBirth: () => number): void {
    const table = this.#table
    const load = new TableLoad(table, slots, columns)
    load.prepare()
    load.write(0, nextBirth)
    for (let i = 0; i < slots.length; i++) {
      table.stamps[slots[i]] = stamps[i]
      table.timestamps[slots[i]] = timestamps[i]
    }
  }

  /** After each block. Cost: now and then, columns that become plain text. */
  *tidy(): BuildSteps {
    const { liveCount } = this.#table
    if (liveCount < this.#tidyAt) return
    this.#tidyAt = 2 * liveCount
    yield* tidySteps(this.#table)
  }

  /** Builds the indexes. */
  *finish(): BuildSteps {
    const table = this.#table
    yield* tidySteps(table)
    const slots = table.liveSlots()
    const indexes = table.indexes.slice()
    for (const [ordinal, later] of this.#later.entries()) {
      if (later === null) continue
      const column = table.columns[ordinal]
      if (later.needs.ordered && column instanceof WordColumn)
        column.dictionary.order(yield* codesInOrder(column.dictionary))
      const index = new AttributeIndex(column, later.needs, table.indexFactory, later.words)
      yield* index.buildSteps(slots)
      indexes[ordinal] = index
    }
    table.indexes = indexes
    table.version++
  }
}

function* tidySteps(table: Table): BuildSteps {
  for (const ordinal of table.columns.keys()) if (tidyColumn(table, ordinal)) yield
}
