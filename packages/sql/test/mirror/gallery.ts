import { attribute, createMedia, defineDataClass } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import fc from 'fast-check'
import type { SqlPool } from '../../src/connect/port.ts'
import type { Mirror } from '../../src/mirror/mirror.ts'
import type { MirrorContents } from '../../src/mirror/mirror-contents.ts'
import { decode, readColumns } from '../../src/schema/row-codec.ts'
import {
  RECORD,
  type SqlModel,
  type SqlTable,
  STAMP,
  sqlModelOf,
  TIMESTAMP,
} from '../../src/schema/sql-model.ts'
import { joined, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlMirrorOptions, SqlStore, SqlStoreOptions } from '../../src/store/sql-options.ts'

const Artist = defineDataClass('Artist', {
  name: attribute.string({ key: true }),
  born: attribute.date({ dateOnly: true }),
  works: attribute.relatedEntities('Work', 'artist'),
})
/** An attribute of each kind. */
const Work = defineDataClass('Work', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ indexed: true }),
  code: attribute.string({ collation: 'exact', unique: true }),
  mark: attribute.uuid(),
  pages: attribute.long({ indexed: true }),
  visits: attribute.long64(),
  price: attribute.number(),
  isSold: attribute.bool(),
  seen: attribute.date(),
  length: attribute.duration(),
  facts: attribute.object(),
  photo: attribute.image(),
  file: attribute.blob(),
  artist: attribute.relatedEntity('Artist'),
  shout: attribute.computed('string', {
    get: ({ title }: { title: string | null }) => (title ?? '').toUpperCase(),
  }),
  /** Reads a dataclass that tests do not mirror. */
  notes: attribute.relatedEntities('Note', 'work'),
  noted: attribute.computed('long', {
    get: ({ notes }: { notes: { count: number } }) => notes.count,
  }),
})
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  work: attribute.relatedEntity('Work'),
})

export const MIRRORED = ['Artist', 'Work']

function galleryOptions(
  database: SqlPool,
  schema: string,
  more: Partial<SqlStoreOptions> = {},
): SqlStoreOptions {
  return { name: 'gallery', dataClasses: [Artist, Work, Note], database, schema, ...more }
}

// biome-ignore lint/suspicious/noExplicitAny: the model is not inferred from these options
export type Untyped = any
export type Gallery = SqlStore & { readonly [dataClass: string]: Untyped }

/** A process over a schema; the first one creates the tables. It waits for its mirror. */
export async function openGallery(
  database: SqlPool,
  schema: string,
  mirror?: SqlMirrorOptions,
  more: Partial<SqlStoreOptions> = {},
  isFilled = true,
): Promise<Gallery> {
  const options = galleryOptions(database, schema, {
    ...more,
    ...(mirror === undefined ? {} : { mirror }),
  })
  await migrateDatabase(options)
  const store = await openSqlStore(options)
  if (isFilled) await store.mirror?.filled()
  return store
}

export const galleryModel = (store: Gallery, schema: string): SqlModel =>
  sqlModelOf(store.catalog, { schema })

/** Values of a work, without its key. */
export const workValues = fc.record(
  {
    title: fc.option(fc.string({ unit: 'grapheme', maxLength: 8 })),
    pages: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    visits: fc.option(fc.maxSafeInteger()),
    price: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    isSold: fc.option(fc.boolean()),
    mark: fc.option(fc.uuid().map((uuid) => uuid.replaceAll('-', '').toUpperCase())),
    seen: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
    length: fc.option(fc.integer({ min: 0, max: 1e9 })),
    facts: fc.option(
      fc.dictionary(
        fc.string({ maxLength: 3 }).filter((name) => name !== '__proto__'),
        fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.constant(null)),
        { maxKeys: 3 },
      ),
    ),
    photo: fc.option(
      fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => createMedia('image/png', bytes)),
    ),
    file: fc.option(
      fc.uint8Array({ maxLength: 4 }).map((bytes) => createMedia('text/plain', bytes)),
    ),
  },
  { requiredKeys: [] },
)

/** The entities of the database, in their order, read cell by cell. */
export async function rowsInDatabase(
  pool: SqlPool,
  model: SqlModel,
  names: readonly string[] = MIRRORED,
): Promise<unknown> {
  const tables = model.tables.filter((table) => names.includes(table.model.name))
  const found = await Promise.all(
    tables.map(async (table) => {
      const columns = [RECORD, STAMP, TIMESTAMP, ...table.columns.flatMap(readColumns)]
      const { rows } = await pool.query(
        statementOf(
          sql`SELECT ${joined(
            columns.map((name) => sql`t.${name}`),
            sql`, `,
          )} FROM ${table.name} AS t ORDER BY t.${RECORD}`,
        ),
      )
      return rows.map((row) => ({
        record: row[0],
        stamp: row[1],
        timestamp: row[2],
        values: valuesIn(table, row),
      }))
    }),
  )
  return JSON.parse(JSON.stringify(found))
}

function valuesIn({ columns }: SqlTable, row: readonly unknown[]): readonly unknown[] {
  let at = 3
  return columns.map((column) => {
    const value = decode(column, row, at)
    at += readColumns(column).length
    return value
  })
}

const MAX_ATTEMPTS = 100

/** Those of the mirror, which must have answered before. */
export async function rowsInMirror(
  store: Gallery,
  globalStamp: number,
  names: readonly string[] = MIRRORED,
): Promise<{ readonly globalStamp: number; readonly rows: unknown }> {
  const mirror = store.mirror as Mirror
  let contents: MirrorContents | null = null
  // A busy machine may not get there in the 50 ms that a read waits.
  for (let attempt = 0; contents === null && attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    contents = await mirror.reach(globalStamp)
  }
  if (contents === null) throw new Error('The mirror does not answer.')
  const { writer } = handleOf(contents.store)
  const rows = contents.guard.open(() =>
    writer.tables
      .filter(({ model }) => names.includes(model.name))
      .map((table) =>
        Array.from(table.liveSlots(), (slot) => ({
          record: table.recordNumber(slot),
          stamp: table.stamps[slot],
          timestamp: table.timestamps[slot],
          values: table.readAll(slot),
        })),
      ),
  )
  return { globalStamp: contents.store.globalStamp, rows: JSON.parse(JSON.stringify(rows)) }
}
