import type { IndexFactory } from './attribute-index.ts'
import { NumberIndex } from './block-index.ts'
import { TextColumn } from './column.ts'
import { TextBeginnings } from './text-beginnings.ts'
import { TextIndex } from './text-index.ts'

/** Block indexes over numbers and texts, and the beginnings of unique texts. */
export const INDEX_FACTORY: IndexFactory = {
  entriesOf: (column) =>
    column instanceof TextColumn ? new TextIndex((slot) => column.keys[slot]) : new NumberIndex(),
  beginningsOf: (column) => new TextBeginnings(column),
}
