import type { StorageAttribute } from '@entia/core'
import { createMedia, present, type StoredValue } from '@entia/core/internal'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { columnOf, type Place, storedAt } from '../translate/place.ts'

/** A column of a statement, and the reader of what it answers: alone or inside of JSON. */
export interface ValueSql {
  readonly column: Sql
  read(found: unknown): unknown
}

/** What stands for an image or BLOB whose content is not read. */
const SOME_MEDIA = createMedia('application/octet-stream', new Uint8Array(0))

/** The value of a stored attribute as entities show it. Of media only whether there is one. */
export function valueSql(place: Place, attribute: StorageAttribute): ValueSql {
  const stored = storedAt(place, attribute)
  switch (columnOf(place, attribute).kind) {
    case 'media':
      return {
        column: sql`${stored} IS NOT NULL`,
        read: (found) => (found === true ? SOME_MEDIA : null),
      }
    case 'object':
      return {
        column: sql`${stored}::text`,
        read: (found) => (found === null ? null : JSON.parse(found as string)),
      }
    case 'date':
    case 'dateOnly': {
      const { type, dateOnly } = attribute
      return { column: stored, read: (found) => present(type, dateOnly, found as StoredValue) }
    }
    default:
      return { column: stored, read: (found) => found }
  }
}
