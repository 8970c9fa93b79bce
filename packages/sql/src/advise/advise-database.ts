import type { SqlPool } from '../connect/port.ts'
import { layoutOf } from '../schema/layout.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'

/** What the statistics of a database say about a model. */
export interface DatabaseAdvice {
  readonly kind: 'unusedIndex' | 'scannedTable' | 'notAnalysed' | 'deadRows'
  /** `Employee`, or `Employee.lastName`. */
  readonly place: string
  readonly finding: string
  readonly remedy: string
}

/** Below this number of entities a table needs no advice. */
const FEW_ENTITIES = 1000
/** Scans that read this many rows per row that they are about are worth a look. */
const MANY_SCANS = 10

/**
 * What the database has counted since its statistics began: indexes of the model that nothing uses,
 * and tables that are read from end to end. It does not know which filters these are: the option
 * `slow` of the handler does. Two round trips. Rejects with `DatabaseError`.
 */
export async function adviseModel(
  model: SqlModel,
  pool: SqlPool,
): Promise<readonly DatabaseAdvice[]> {
  const { schema } = model
  const [tables, indexes] = await Promise.all([
    pool.query(
      statementOf(sql`SELECT relname::text, n_live_tup, n_dead_tup, seq_scan, seq_tup_read, (last_analyze IS NULL AND last_autoanalyze IS NULL)
        FROM pg_stat_user_tables WHERE schemaname = ${schema} AND n_live_tup >= ${FEW_ENTITIES}::bigint`),
    ),
    pool.query(
      statementOf(sql`SELECT i.indexrelname::text, pg_relation_size(i.indexrelid),
          (SELECT stats_reset::text FROM pg_stat_database WHERE datname = current_database())
        FROM pg_stat_user_indexes AS i JOIN pg_stat_user_tables AS t ON t.relid = i.relid
        WHERE i.schemaname = ${schema} AND i.idx_scan = 0 AND t.n_live_tup >= ${FEW_ENTITIES}::bigint`),
    ),
  ])
  const advice: DatabaseAdvice[] = []
  const dataClassOf = (table: unknown): string | null =>
    model.tables.find(({ name }) => name.plain === table)?.model.name ?? null
  for (const [table, live, dead, scans, read, isNew] of tables.rows) {
    const place = dataClassOf(table)
    if (place !== null)
      advice.push(...adviceOfTable(place, [live, dead, scans, read].map(Number), isNew === true))
  }
  for (const [name, bytes, since] of indexes.rows) {
    const place = optionalIndexes(model).get(String(name))
    if (place !== undefined) advice.push(unusedIndex(place, Number(bytes), since))
  }
  return advice
}

function adviceOfTable(
  place: string,
  [live = 0, dead = 0, scans = 0, read = 0]: readonly number[],
  isNew: boolean,
): readonly DatabaseAdvice[] {
  const found: DatabaseAdvice[] = []
  if (isNew)
    found.push({
      kind: 'notAnalysed',
      place,
      finding: `the database has no statistics of its ${number(live)} entities, and plans without them`,
      remedy: `Run ANALYZE, and check that autovacuum is on.`,
    })
  if (read > MANY_SCANS * live)
    found.push({
      kind: 'scannedTable',
      place,
      finding: `${number(scans)} scans read ${number(read)} rows of a table of ${number(live)}`,
      remedy: 'Serve with --slow: it tells which filters these are, and which index would help.',
    })
  if (dead > live)
    found.push({
      kind: 'deadRows',
      place,
      finding: `the table has ${number(dead)} dead rows beside ${number(live)} entities`,
      remedy: 'Look for old open transactions, then run VACUUM, and check that autovacuum is on.',
    })
  return found
}

const unusedIndex = (place: string, bytes: number, since: unknown): DatabaseAdvice => ({
  kind: 'unusedIndex',
  place,
  finding: `no statement has used its index of ${number(Math.ceil(bytes / 1024))} kB since ${since === null ? 'the database was created' : String(since)}`,
  remedy: 'If no replica uses it either, leave out "indexed: true" and run "entia migrate".',
})

/**
 * The indexes that `indexed: true` makes: those of keys, unique values and relations guard rules.
 */
function optionalIndexes(model: SqlModel): ReadonlyMap<string, string> {
  return new Map(
    layoutOf(model).tables.flatMap(({ dataClass, indexes }) => {
      const { attributes } = model.catalog.byName.get(dataClass)!
      return indexes.flatMap(({ name, attribute }) => {
        const known = attributes.get(attribute)
        const isOptional =
          known?.kind === 'storage' && known.indexed && !known.key && known.relation === null
        return isOptional ? [[name, `${dataClass}.${attribute}`] as const] : []
      })
    }),
  )
}

const number = (value: number): string => value.toLocaleString('en')
