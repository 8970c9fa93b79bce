import type { ColumnState } from './database-state.ts'
import { type ColumnLayout, place, type TableLayout } from './layout.ts'

// Why a table that another program made does not serve a model. A migration adds to such a table,
// and changes nothing that it has: what is wrong must be mended by its owner, or in the model.

/** Types of other programs that take and give the same values. */
const COMPATIBLE: ReadonlyMap<string, RegExp> = new Map([
  ['text', /^character varying(\(\d+\))?$/],
  ['json', /^jsonb$/],
])

export const missingTable = ({ name, dataClass }: TableLayout): string =>
  `There is no table ${name}, which the option "tables" calls existing. Correct the name for ${dataClass}, or leave "existing" out.`

/** A column that Entia does not write. */
export const unwrittenColumn = ({ name, dataClass }: TableLayout, column: string): string =>
  `The column ${column} of the table ${name} must have a value and has no default. Add an attribute of ${dataClass} for it, or give it a default.`

export const untypedMedia = ({ name }: TableLayout, attribute: string): string =>
  `${attribute} has no media type in the table ${name}. Add an attribute of another name and copy the values.`

/** About a column of theirs that holds an attribute. */
export function obstaclesOf(
  table: TableLayout,
  column: ColumnLayout,
  { type, isNotNull }: ColumnState,
): readonly string[] {
  const what = `The column ${column.name} of the table ${table.name}`
  const found: string[] = []
  if (type !== column.type && COMPATIBLE.get(column.type)?.test(type) !== true)
    found.push(
      `${what} is ${type}, and ${place(table, column)} needs ${column.type}. Change the type of the attribute, or of the column.`,
    )
  const attribute = column.of?.attribute
  const isRequired = attribute?.key || attribute?.notNull || attribute?.relation?.notNull
  if (isNotNull && isRequired !== true)
    found.push(
      `${what} must have a value, and ${place(table, column)} may be null. Say "notNull: true" in the model.`,
    )
  return found
}
