import { type FieldText, fieldOf, inputText, parseInput } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, isEditable, membersOf } from './model.ts'
import { withoutApostrophe } from './table-text.ts'
import type { Item, Written } from './write-batches.ts'

/** Where a paste goes: to entities from a cell on, to entities by key, or to new entities. */
export type PasteMode = 'cells' | 'keys' | 'new'

export interface PastedCell {
  readonly attribute: Attribute
  /** The value before; null for none and in new entities. */
  readonly before: FieldText
  readonly after: FieldText
  /** Why the value is refused; empty if it is not. */
  readonly problem: string
}

export interface PastedRow {
  /** What the row is called in messages: the key, or the number of the line. */
  readonly name: string
  /** The entity that changes; null for a new one. */
  readonly entity: Readonly<Record<string, unknown>> | null
  /** The changed values. */
  readonly cells: readonly PastedCell[]
  /** What the save sends. */
  readonly item: Item
  /** Why the row is refused, apart from its cells; empty if it is not. */
  readonly problem: string
}

/** The names in the first line, if all of them are attributes; otherwise null. */
export function namesIn(
  table: readonly (readonly string[])[],
  dataClass: DataClass,
): readonly string[] | null {
  const [first = []] = table
  const names = first.map((text) => text.trim())
  return names.length > 0 && names.every((name) => attributeOf(dataClass, name) !== undefined)
    ? names
    : null
}

/** The pasted columns that a save does not take. The key of an existing entity finds it. */
export function skippedColumns(
  names: readonly string[],
  dataClass: DataClass,
  mode: PasteMode,
): readonly string[] {
  return names.filter((name) => {
    const attribute = attributeOf(dataClass, name)
    const isKey = attribute?.isKey === true && mode !== 'cells'
    return attribute === undefined || !(isEditable(attribute) || isKey)
  })
}

/**
 * What a paste changes. `entities`: those of the lines, in their order; undefined where a line has
 * none.
 */
export function planPaste(
  lines: readonly (readonly string[])[],
  names: readonly string[],
  dataClass: DataClass,
  mode: PasteMode,
  entities: readonly unknown[],
): readonly PastedRow[] {
  const skipped = new Set(skippedColumns(names, dataClass, mode))
  const attributes = names.map((name) =>
    skipped.has(name) ? undefined : attributeOf(dataClass, name),
  )
  const keyColumn = attributes.findIndex((one) => one?.isKey)
  return lines.flatMap((texts, line) => {
    const name = mode === 'keys' ? (texts[keyColumn] ?? '') : `line ${line + 1}`
    if (texts.every((text) => text === '')) return []
    const found = mode === 'new' ? undefined : entities[line]
    if (mode !== 'new' && found === undefined)
      return [{ name, entity: null, cells: [], item: {}, problem: 'There is no such entity.' }]
    const entity = found === undefined ? null : membersOf(found)
    const values: Record<string, unknown> = {}
    const cells = texts.flatMap((text, column): readonly PastedCell[] => {
      const attribute = attributes[column]
      if (attribute === undefined || (attribute.isKey && mode !== 'new')) return []
      const before = entity === null ? null : inputText(entity[attribute.name], attribute)
      const after = pastedText(text, attribute)
      // Null and the empty text look the same in a spreadsheet.
      if ((entity !== null && (before ?? '') === text) || (after === before && after === null))
        return []
      const parsed = parsePasted(after, attribute)
      // A spreadsheet writes TRUE and 1.50.
      if (entity !== null && 'value' in parsed && parsed.value === entity[attribute.name]) return []
      if ('value' in parsed) values[attribute.name] = parsed.value
      return [{ attribute, before, after, problem: 'problem' in parsed ? parsed.problem : '' }]
    })
    if (cells.length === 0) return []
    const known = entity === null ? {} : { __KEY: entity.__KEY, __STAMP: entity.__STAMP }
    const shownName = entity === null ? name : String(entity.__KEY)
    return [{ name: shownName, entity, cells, item: { ...known, ...values }, problem: '' }]
  })
}

/** A row with what the server says to it. */
export function withAnswer(row: PastedRow, answer: Written): PastedRow {
  if (answer.isSaved) return row
  const names = row.cells.map(({ attribute }) => attribute.name)
  const wrong = fieldOf(answer.message, names)
  return {
    ...row,
    cells: row.cells.map((cell) =>
      cell.attribute.name === wrong ? { ...cell, problem: answer.message } : cell,
    ),
    problem: wrong === null ? answer.message : '',
  }
}

export function isRefused({ cells, problem }: PastedRow): boolean {
  return problem !== '' || cells.some((cell) => cell.problem !== '')
}

function pastedText(text: string, { type, notNull }: Attribute): FieldText {
  if (text === '') return type === 'string' && notNull ? '' : null
  return type === 'string' ? withoutApostrophe(text) : text.trim()
}

function parsePasted(text: FieldText, attribute: Attribute) {
  if (attribute.type !== 'bool' || text === null) return parseInput(text, attribute)
  const word = text.toLowerCase()
  return word === 'true' || word === 'false'
    ? { value: word === 'true' }
    : { problem: 'This is neither true nor false.' }
}
