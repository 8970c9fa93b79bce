import type { ClassModel, StorageAttribute, TextForm, TextMarks, TextPiece } from '@entia/core'
import { formatDate } from '@entia/core/kit'
import type { Sql } from '../text/sql.ts'
import { columnOf, type Place } from '../translate/place.ts'
import { type EntityCounter, markColumns, type RecordScope, type ShownSql } from './record-sql.ts'
import { valueSql } from './value-sql.ts'

/** Appends the text of one piece. `found` is null for a piece without a column. */
interface PieceSql {
  readonly column: Sql | null
  write(found: unknown, marks: TextMarks): string
}

/**
 * How a form writes an entity as text, straight from a row: no record is made. Null if the form
 * shows what takes more than the entity's own columns. Cost: O(pieces), once per request.
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
      for (const { column, write } of parts)
        text += write(column === null ? null : row[next++], marks)
      return text + end
    },
  }
}

/** Most forms need no timestamp: it is formatted when it is asked for. */
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
    return { column, write: (found) => head + write(read(found) as string | number | null) }
  }
  if (piece.attribute === null) {
    const { write } = piece as Extract<TextPiece, { readonly kind: 'marked' }>
    return { column: null, write: (_, marks) => head + write(null, marks) }
  }
  const attribute = dataClass.attributes.get(piece.attribute)
  if (attribute?.kind !== 'storage') return null
  const { column, read } = valueSql(place, attribute)
  const { write } = piece
  if (write !== undefined)
    return { column, write: (found, marks) => head + write(read(found), marks) }
  const toJson = jsonOf(place, attribute)
  return toJson && { column, write: (found) => head + toJson(read(found)) }
}

/** Texts that JSON writes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/

/** The JSON of the values of an attribute; null for images and BLOBs, whose size is not read. */
function jsonOf(place: Place, attribute: StorageAttribute): ((value: unknown) => string) | null {
  if (columnOf(place, attribute).kind === 'media') return null
  return (value) =>
    typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}
