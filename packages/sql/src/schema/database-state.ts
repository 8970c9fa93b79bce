import type { SqlConnection, SqlRows } from '../connect/port.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { hasStore, holdStore } from './entia-tables.ts'
import { WORDS_SUFFIX } from './names.ts'

/** What a schema of the database has. Names are not quoted. */
export interface DatabaseState {
  /** Null in a schema without a store. */
  readonly store: StoreRow | null
  readonly tables: ReadonlyMap<string, TableState>
  /** Dataclass to table, of every dataclass that a migration made. */
  readonly classes: ReadonlyMap<string, string>
  /** The tables of dataclasses that another program made. */
  readonly existing: ReadonlySet<string>
}
export interface StoreRow {
  readonly name: string
  readonly unicode: string
  /** True where an earlier release gave global stamps with gaps. */
  readonly isRising: boolean
}
export interface TableState {
  /** True if row level security applies to the role, which may then not see every row. */
  readonly isFiltered: boolean
  readonly columns: ReadonlyMap<string, ColumnState>
  readonly indexes: ReadonlyMap<string, IndexState>
  readonly constraints: ReadonlyMap<string, ConstraintState>
}
export interface ColumnState {
  readonly type: string
  readonly isNotNull: boolean
  /** Null for types without one. */
  readonly collation: string | null
  readonly hasDefault: boolean
  /** What Entia keeps in it (`ColumnKind`). Null in columns that no migration has noted. */
  readonly kind: string | null
}
export interface IndexState {
  readonly columns: readonly string[]
  readonly isUnique: boolean
}
export interface ConstraintState {
  readonly columns: readonly string[]
  readonly target: string | null
  /** The column that a foreign key refers to; null for other constraints. */
  readonly targetColumn: string | null
}

/** The tables of the server state that name dataclasses; none in a schema without them. */
export const stateByClass = ({ tables }: DatabaseState): readonly string[] =>
  ['entia_lock', 'entia_set'].filter((name) => tables.has(name))

/**
 * Reads PostgreSQL's catalog, within a transaction: two round trips. It holds the store, so that no
 * migration commits between its statements.
 */
export async function readDatabase(
  { send }: SqlConnection,
  schema: string,
): Promise<DatabaseState> {
  const [found] = await send([hasStore(schema)])
  const isMade = found!.rows[0]![0] === true
  const catalog = [columnsOf(schema), indexesOf(schema), constraintsOf(schema)].map(statementOf)
  const rows = await send(
    isMade ? [holdStore(schema), ...catalog, ...storeRows(schema).map(statementOf)] : catalog,
  )
  const [columns, indexes, constraints, stores, classes] = isMade ? rows.slice(1) : rows
  const tables = new Map<string, MutableTable>()
  for (const row of textRows(columns!)) {
    const [name, column, type, isNotNull, collation, hasDefault, isFiltered] = row
    const table = tableAt(tables, name)
    table.isFiltered = isFiltered === 'true'
    table.columns.set(column, {
      type,
      isNotNull: isNotNull === 'true',
      collation: collation === '' ? null : collation,
      hasDefault: hasDefault === 'true',
      kind: null,
    })
  }
  for (const [table, name, isUnique, names] of textRows(indexes!))
    tableAt(tables, table).indexes.set(name, {
      columns: parsed(names),
      isUnique: isUnique === 'true',
    })
  for (const [table, name, target, names, targetColumn] of textRows(constraints!))
    tableAt(tables, table).constraints.set(name, {
      columns: parsed(names),
      target: target === '' ? null : target,
      targetColumn: targetColumn === '' ? null : targetColumn,
    })
  if (stores === undefined) return { store: null, tables, classes: new Map(), existing: new Set() }
  const [row] = textRows(stores)
  const store =
    row === undefined ? null : { name: row[0], unicode: row[1], isRising: row[2] === 'rising' }
  const named = textRows(classes!)
  for (const [, table, , kinds] of named) {
    const columns = tables.get(table)?.columns
    for (const [name, kind] of Object.entries<string>(kinds === '' ? {} : JSON.parse(kinds))) {
      const column = columns?.get(name)
      if (column !== undefined) columns!.set(name, { ...column, kind })
    }
  }
  return {
    store,
    tables,
    classes: new Map(named.map(([name, table]) => [name, table])),
    existing: new Set(named.filter(([, , is]) => is === 'true').map(([, table]) => table)),
  }
}

const storeRows = (schema: string): readonly Sql[] => [
  sql`SELECT name, unicode, mode FROM ${new SqlName(schema, 'entia_store')}`,
  sql`SELECT class, name_of_table, to_jsonb(c) ->> 'existing', to_jsonb(c) ->> 'kinds' FROM ${new SqlName(schema, 'entia_class')} AS c`,
]

interface MutableTable {
  isFiltered: boolean
  readonly columns: Map<string, ColumnState>
  readonly indexes: Map<string, IndexState>
  readonly constraints: Map<string, ConstraintState>
}

function tableAt(tables: Map<string, MutableTable>, name: string): MutableTable {
  const known = tables.get(name)
  if (known !== undefined) return known
  const made = { isFiltered: false, columns: new Map(), indexes: new Map(), constraints: new Map() }
  tables.set(name, made)
  return made
}

type TextRow = readonly [string, string, string, string, string, string, string]
/** Null as the empty text, which none of these cells has. */
const textRows = ({ rows }: SqlRows): readonly TextRow[] =>
  rows.map((row) => {
    const cells: unknown = Array.from({ length: 7 }, (_, at) => String(row[at] ?? ''))
    return cells as TextRow
  })

const parsed = (names: string): readonly string[] => JSON.parse(names) as string[]

const tablesIn = (schema: string) =>
  sql`FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = ${schema}::text`

/** Types without the quotes that the setting `quote_all_identifiers` adds. */
const columnsOf = (schema: string) => sql`
  SELECT t.relname::text, a.attname::text, replace(format_type(a.atttypid, a.atttypmod), '"', ''), a.attnotnull,
    (SELECT l.collname::text FROM pg_collation l WHERE l.oid = a.attcollation),
    a.atthasdef OR a.attidentity <> '', row_security_active(t.oid)
  ${tablesIn(schema)}
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE t.relkind IN ('r', 'p') ORDER BY t.relname, a.attnum`

/**
 * Without those that belong to a constraint. Indexes of words have the columns that their
 * expression reads; others with expressions are the operator's.
 */
const indexesOf = (schema: string) => sql`
  SELECT t.relname::text, i.relname::text, x.indisunique,
    CASE WHEN x.indexprs IS NULL THEN (SELECT json_agg(a.attname ORDER BY k.ord)::text
      FROM unnest(x.indkey::smallint[]) WITH ORDINALITY AS k (num, ord)
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.num)
    ELSE (SELECT json_agg(a.attname ORDER BY a.attnum)::text
      FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      WHERE d.classid = 'pg_class'::regclass AND d.objid = i.oid AND d.refobjid = t.oid
        AND d.refobjsubid > 0) END
  ${tablesIn(schema)}
  JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid
  WHERE x.indisvalid AND NOT EXISTS
    (SELECT FROM pg_constraint c WHERE c.conindid = i.oid AND c.contype IN ('p', 'u', 'x'))
    AND (x.indexprs IS NULL OR right(i.relname, ${WORDS_SUFFIX.length}::integer) = ${WORDS_SUFFIX})`

const constraintsOf = (schema: string) => sql`
  SELECT t.relname::text, c.conname::text,
    (SELECT r.relname::text FROM pg_class r WHERE r.oid = c.confrelid),
    (SELECT json_agg(a.attname ORDER BY k.ord)::text
      FROM unnest(c.conkey) WITH ORDINALITY AS k (num, ord)
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num),
    (SELECT a.attname::text FROM pg_attribute a
      WHERE a.attrelid = c.confrelid AND a.attnum = c.confkey[1])
  ${tablesIn(schema)}
  JOIN pg_constraint c ON c.conrelid = t.oid WHERE c.contype IN ('u', 'f', 'c')`
