import type { ClassModel, TextForm, TextMarks, TextPiece } from '@entia/core'
import { formatDate } from '@entia/core/internal'
import type { EntityCounter } from '@entia/engine'
import type { ColumnKind } from '../schema/sql-model.ts'
import type { Sql } from '../sql-builder/sql.ts'
import { columnOf, type Place } from '../translate/place.ts'
import { markColumns, type RecordScope, type ShownSql } from './record-sql.ts'
import { valueSql } from './value-sql.ts'

/** How the text of one piece is made: `head`, then the cell in one of these ways. */
type PieceSql = { readonly head: string; readonly column: Sql | null } & (
  | { readonly way: JsonWay; read(found: unknown): unknown }
  | { readonly way: 'written'; write(found: unknown, marks: TextMarks): string }
)
/**
 * Of texts that JSON may have to escape; of finite numbers and booleans, which JSON writes as
 * JavaScript does; of moments; of other values.
 */
type JsonWay = 'text' | 'plain' | 'dateTime' | 'json'

/** How JSON writes an attribute; null for images and BLOBs, whose size is not read. */
const WAYS: { readonly [K in ColumnKind]: JsonWay | null } = {
  media: null,
  folded: 'text',
  exact: 'text',
  uuid: 'text',
  bool: 'plain',
  integer: 'plain',
  date: 'dateTime',
  bigint: 'json',
  double: 'json',
  dateOnly: 'json',
  object: 'json',
}

/**
 * How a form writes an entity as text, straight from a row: no record is made. Null if the form
 * shows what takes more than the entity's own columns. Cost: O(pieces), once per form.
 */
export function textSql(
  scope: RecordScope,
  place: Place,
  dataClass: ClassModel,
  { pieces, end }: TextForm,
): ShownSql<string> | null {
  const key = valueSql(place, dataClass.key)
  const columns = markColumns(place, dataClass)
  const parts: PieceSql[] = []
  for (const piece of pieces) {
    const part = pieceSql(scope, place, dataClass, piece)
    if (part === null) return null
    if (part.column !== null) columns.push(part.column)
    parts.push(part)
  }
  return {
    columns,
    read(row, at, counter: EntityCounter) {
      counter.add()
      const marks = new RowMarks(
        key.read(row[at]) as string | number,
        row[at + 1] as number,
        row[at + 2] as number,
      )
      let next = at + 3
      let text = ''
      // One loop for all ways: a call of a function per cell takes twice as long.
      for (const part of parts) {
        const cell = part.column === null ? null : row[next++]
        text += part.head
        if (part.way === 'written') text += part.write(cell, marks)
        else if (cell === null) text += 'null'
        else if (part.way === 'text') text += quoted(cell as string)
        else if (part.way === 'plain') text += cell
        else if (part.way === 'dateTime') text += `"${formatDate(cell as number, false)}"`
        else text += JSON.stringify(part.read(cell))
      }
      return text + end
    },
  }
}

/** Texts that JSON writes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** The timestamp is formatted on first use, since most forms do not show it. */
class RowMarks implements TextMarks {
  readonly key: string | number
  readonly stamp: number
  readonly #time: number

  constructor(key: string | number, stamp: number, time: number) {
    this.key = key
    this.stamp = stamp
    this.#time = time
  }
  get timestamp(): string {
    return formatDate(this.#time, false)
  }
}

function pieceSql(
  { rowsOf }: RecordScope,
  place: Place,
  dataClass: ClassModel,
  piece: TextPiece,
): PieceSql | null {
  const { head } = piece
  if (piece.kind === 'relatedKey') {
    const relation = dataClass.attributes.get(piece.relation)
    if (relation?.kind !== 'relatedEntity') return null
    if (rowsOf(relation.target) !== null) return null
    const { column, read } = valueSql(place, relation.foreignKey)
    const { write } = piece
    return written(head, column, (found) => write(read(found) as string | number | null))
  }
  if (piece.attribute === null) {
    const { write } = piece as Extract<TextPiece, { readonly kind: 'marked' }>
    return written(head, null, (_, marks) => write(null, marks))
  }
  const attribute = dataClass.attributes.get(piece.attribute)
  if (attribute?.kind !== 'storage') return null
  const { column, read } = valueSql(place, attribute)
  const { write } = piece
  if (write !== undefined) return written(head, column, (found, marks) => write(read(found), marks))
  const way = WAYS[columnOf(place, attribute).kind]
  return way && { head, column, way, read }
}

const written = (
  head: string,
  column: Sql | null,
  write: (found: unknown, marks: TextMarks) => string,
): PieceSql => ({ head, column, way: 'written', write })
