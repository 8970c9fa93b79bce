import type { ClassSizes } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import type { SqlColumn, SqlModel, SqlTable } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { DatabaseSampling } from './database-sample.ts'

/** What the database knows of a table. */
interface TableFigures {
  readonly bytes: number
  /** Bytes of indexes by their first column, or the column that their expression reads. */
  readonly indexes: ReadonlyMap<string | null, number>
  /** Average bytes of a value by column, as the last ANALYZE found them. */
  readonly widths: ReadonlyMap<string, number>
}

/**
 * The space of each dataclass on the disk, the largest first. That of attributes is an estimate of
 * the database: 0 before its first ANALYZE. Cost: one statement, and a sample.
 */
export async function databaseSizes(
  pool: SqlPool,
  model: SqlModel,
  sampling: DatabaseSampling,
): Promise<readonly ClassSizes[]> {
  const [tables, sample] = await Promise.all([readTables(pool, model), sampling.take()])
  return model.tables
    .flatMap((table) => {
      const figures = tables.get(table.name.plain)
      if (figures === undefined) return []
      return [sizesOf(table, figures, sample?.entities.get(table.model.name) ?? 0)]
    })
    .sort((a, b) => b.bytes - a.bytes)
}

async function readTables(
  pool: SqlPool,
  { schema }: SqlModel,
): Promise<ReadonlyMap<string, TableFigures>> {
  const { rows } = await pool.query(
    statementOf(sql`SELECT c.relname, pg_total_relation_size(c.oid)::double precision,
      (SELECT json_agg(json_build_array(a.attname, pg_relation_size(x.indexrelid)))
        FROM pg_index x LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
          AND a.attnum = CASE WHEN x.indkey[0] > 0 THEN x.indkey[0] ELSE
            (SELECT min(d.refobjsubid) FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
              AND d.objid = x.indexrelid AND d.refobjid = c.oid AND d.refobjsubid > 0) END
        WHERE x.indrelid = c.oid),
      (SELECT json_agg(json_build_array(s.attname, s.avg_width * (1 - s.null_frac)))
        FROM pg_stats s WHERE s.schemaname = n.nspname AND s.tablename = c.relname)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${schema} AND c.relkind IN ('r', 'p')`),
  )
  return new Map(
    rows.map(([name, bytes, indexes, widths]) => {
      const byColumn = new Map<string | null, number>()
      for (const [column, size] of pairsIn(indexes))
        byColumn.set(column, (byColumn.get(column) ?? 0) + size)
      const figures = { bytes: Number(bytes), indexes: byColumn, widths: new Map(pairsIn(widths)) }
      return [String(name), figures as TableFigures]
    }),
  )
}

const pairsIn = (json: unknown): readonly (readonly [string | null, number])[] =>
  json === null ? [] : (JSON.parse(String(json)) as [string | null, number][])

function sizesOf(table: SqlTable, figures: TableFigures, entities: number): ClassSizes {
  const attributes = table.columns.map((column) => {
    const { attribute } = column
    const names = columnsOf(column)
    const bytes = Math.round(entities * sumOf(names, figures.widths))
    const hasIndex = names.some((name) => figures.indexes.has(name))
    const canHave = column.kind !== 'object' && column.kind !== 'media'
    const { words, indexed, unique, key } = attribute
    // An index of words finds no values.
    const hasValues = hasIndex && (!words || indexed || unique || key)
    return {
      name: attribute.name,
      bytes,
      index: hasIndex ? sumOf(names, figures.indexes) : null,
      proposal: hasValues || !canHave ? null : proposalFor(column, figures, entities),
    }
  })
  const known = attributes.reduce((sum, { bytes, index }) => sum + bytes + (index ?? 0), 0)
  return {
    dataClass: table.model.name,
    entities,
    bytes: figures.bytes,
    other: Math.max(0, figures.bytes - known),
    attributes,
  }
}

const columnsOf = ({ name, key, mediaType, theirs }: SqlColumn): readonly string[] => [
  ...new Set([name, key, mediaType ?? name, theirs?.name ?? name].map(({ plain }) => plain)),
]

const sumOf = (names: readonly string[], sizes: ReadonlyMap<string | null, number>): number =>
  names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)

/** The head of a tuple of a B-tree and its place in a page. Pages are filled to 90 %. */
const BYTES_PER_TUPLE = 12
const BYTES_PER_WORD = 8
const FILL = 0.9
// A million rows took 0.5 to 1.9 seconds on two busy cores, with texts of 32 characters 0.9 to 2.2.
const MICROSECONDS_PER_NUMBER = 1
const MICROSECONDS_PER_TEXT = 2

function proposalFor({ key, kind }: SqlColumn, { widths }: TableFigures, entities: number) {
  const isText = kind === 'folded' || kind === 'exact'
  const width = widths.get(key.plain) ?? (isText ? 16 : 8)
  const aligned = Math.max(1, Math.ceil(width / BYTES_PER_WORD)) * BYTES_PER_WORD
  const microseconds = entities * (isText ? MICROSECONDS_PER_TEXT : MICROSECONDS_PER_NUMBER)
  return {
    bytes: Math.round((entities * (BYTES_PER_TUPLE + aligned)) / FILL),
    milliseconds: microseconds / 1000,
  }
}
