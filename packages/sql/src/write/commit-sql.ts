import type { ClassModel, StorageAttribute } from '@entia/core'
import { isMedia, present, type StoredValue } from '@entia/core/internal'
import type { WorkingChange, WorkingCommit } from '@entia/engine'
import type { SqlRows, SqlValue } from '../connect/port.ts'
import { grouped } from '../grouped.ts'
import { type ValueColumn, valueRows } from '../schema/bound-values.ts'
import { writtenColumns, writtenTypes } from '../schema/row-codec.ts'
import { moveNumber } from '../schema/sequences.ts'
import { RECORD, type SqlModel, STAMP, TIMESTAMP } from '../schema/sql-model.ts'
import { dropLocks } from '../server-state/lock-pieces.ts'
import type { StateTables } from '../server-state/tables.ts'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { type ChangeCells, changeSql, recordChanges, type StampOf } from './change-sql.ts'
import { mergedCommit } from './merged-commit.ts'
import { expectName } from './row-lock-sql.ts'

/** What a decision was based on, and what it leads to. */
export interface CommitSqlOptions {
  readonly model: SqlModel
  readonly tables: StateTables
  /** See `gateOf`. */
  readonly writer: number
  readonly commits: readonly WorkingCommit[]
  /** Dataclasses that were queried, and the global stamp of that moment. */
  readonly queried: ReadonlySet<ClassModel>
  readonly seen: number
  readonly stampOf: StampOf
  /** One id for each commit. */
  readonly commitIds: readonly string[]
}

/**
 * The statements that store the commits of a decision, in the order in which they must be sent:
 * `rowChanges` hold and write the rows of entities, `others` what depends on them, and `gate` lets
 * the commits pass: see `passedIn`. Everything that can wait for a row comes before the gate.
 * Throws `valueInvalid` for texts that PostgreSQL cannot store.
 */
export function commitSql(options: CommitSqlOptions): {
  readonly rowChanges: readonly Sql[]
  readonly others: readonly Sql[]
  readonly gate: Sql
} {
  const { model, commits, tables, stampOf } = options
  const { schema } = model
  const rowChanges: Sql[] = []
  const others: Sql[] = []
  const net = grouped(mergedCommit(commits).changes, ({ dataClass }) => dataClass)
  for (const [dataClass, list] of [...net].sort(([a], [b]) => a.ordinal - b.ordinal)) {
    for (const { statement, rows } of changeSql(model, dataClass, list, stampOf))
      rowChanges.push(expecting(schema, statement, rows))
    const removed = list.flatMap(({ kind, record }) =>
      kind === 'remove' && record !== null ? [record] : [],
    )
    if (removed.length > 0) others.push(dropLocks({ tables }, dataClass.name, removed))
  }
  others.push(...numberSql(options))
  others.push(...lateChecks(model, commits))
  return { rowChanges, others, gate: gateSql(options, changeRows(options)) }
}

/** Refuses the transaction if a statement changed other rows than the decision was about. */
const expecting = (schema: string, statement: Sql, rows: number): Sql =>
  sql`WITH changed AS (${statement} RETURNING 1) SELECT ${expectName(schema)}(count(*), ${rows}::bigint) FROM changed`

/** The statements that move the sequences beyond the numbers of the commits. */
function numberSql({ model, commits }: CommitSqlOptions): readonly Sql[] {
  const next = new Map<ClassModel, number>()
  for (const { sequences } of commits)
    for (const sequence of sequences) next.set(sequence.dataClass, sequence.next)
  return Array.from(next, ([{ name }, number]) => moveNumber(model.schema, name, number))
}

/** The statement that checks what a deferred constraint may refuse, if there is such a change. */
export const lateChecks = (model: SqlModel, commits: readonly WorkingCommit[]): readonly Sql[] =>
  commits.some((commit) => isCheckedLate(model, commit)) ? [sql`SET CONSTRAINTS ALL IMMEDIATE`] : []

/**
 * True for a commit whose changes a deferred constraint may refuse. Which ones the tables of other
 * programs have is not known.
 */
const isCheckedLate = ({ tables }: SqlModel, { changes }: WorkingCommit): boolean =>
  changes.some(({ dataClass, kind, changed }) => {
    if (tables[dataClass.ordinal]!.isExisting) return true
    const isLate = ({ unique, relation, key }: StorageAttribute): boolean =>
      (unique && !key) || relation !== null
    switch (kind) {
      case 'insert':
        return dataClass.storage.some(isLate)
      case 'update':
        return changed.some((at) => isLate(dataClass.storage[at]!))
      default:
        return dataClass.incoming.length > 0
    }
  })

/** What a gate needs of the options. */
type GateOptions = Pick<
  CommitSqlOptions,
  'model' | 'writer' | 'queried' | 'seen' | 'commits' | 'commitIds'
>

/**
 * The statement that lets commits pass the gate in their order, with those that write rows of the
 * change table, which wait for nothing. Only the first commit checks what was queried: the others
 * follow it. `passedIn` reads its rows.
 */
export function gateSql(
  { model, writer, queried, seen, commits, commitIds }: GateOptions,
  insertions: readonly Sql[],
): Sql {
  const gate = new SqlName(model.schema, 'entia_gate')
  const waited = sql`extract(epoch FROM clock_timestamp() - statement_timestamp())::double precision * 1000`
  const rows = insertions.map(
    (insertion, place) => sql`${new SqlName(`c${place}`)} AS (${insertion})`,
  )
  const written = rows.length === 0 ? sql`` : sql`WITH ${listed(rows)} `
  const reads = [...queried].map(({ name }) => name)
  const added = commits.map(addedBy)
  if (commits.length === 1) {
    const [only] = added
    return sql`${written}SELECT g.stamp, ${waited} FROM ${gate}(${writer}::integer, ${reads}::text[], ${String(seen)}, ${[...only!.keys()]}::text[], ${[...only!.values()]}::bigint[], ${commitIds[0]!}) AS g (stamp)`
  }
  const passing = valueRows([
    { name: ORD, type: 'integer', values: commits.map((_, at) => at) },
    { name: WRITES, type: 'text', values: added.map((each) => arrayText([...each.keys()])) },
    { name: ADDED, type: 'text', values: added.map((each) => arrayText([...each.values()])) },
    { name: COMMIT_ID, type: 'text', values: commitIds },
  ])
  return sql`${written}SELECT g.stamp, ${waited} FROM ${passing}, LATERAL ${gate}(${writer}::integer, CASE v.ord WHEN 0 THEN ${reads}::text[] ELSE '{}' END, ${String(seen)}, v.writes::text[], v.added::bigint[], v.commit_id) AS g (stamp)`
}

export const ORD = new SqlName('ord')
const WRITES = new SqlName('writes')
const ADDED = new SqlName('added')
export const COMMIT_ID = new SqlName('commit_id')

/** How many entities the dataclasses that a commit changes have more. */
function addedBy({ changes }: WorkingCommit): ReadonlyMap<string, number> {
  const added = new Map<string, number>()
  for (const { dataClass, kind } of changes) {
    const more = kind === 'insert' ? 1 : kind === 'remove' ? -1 : 0
    added.set(dataClass.name, (added.get(dataClass.name) ?? 0) + more)
  }
  return added
}

/** An array of names or numbers as PostgreSQL writes it. */
const arrayText = (list: readonly (string | number)[]): string =>
  `{${list.map((each) => JSON.stringify(each)).join()}}`

/** The global stamps of commits, in their order, and the milliseconds that the first waited. */
export function passedIn({ rows }: SqlRows): {
  readonly stamps: readonly number[]
  readonly waited: number
} {
  return { stamps: rows.map(([stamp]) => Number(stamp)), waited: Number(rows[0]![1]) }
}

/** A change with its place in its commit. */
interface PlacedChange {
  readonly ord: number
  readonly commitId: string
  readonly change: WorkingChange
}

/** The statements that write the rows of the change table: one for each dataclass and kind. */
function changeRows({ model, commits, commitIds }: CommitSqlOptions): readonly Sql[] {
  const rows = commits.flatMap(({ changes }, at): PlacedChange[] =>
    changes.map((change, ord) => ({ ord, commitId: commitIds[at]!, change })),
  )
  const nameOf = ({ change }: PlacedChange) => `${change.dataClass.ordinal} ${change.kind}`
  const oneId = commits.length === 1 ? commitIds[0]! : null
  return Array.from(grouped(rows, nameOf).values(), (each) => changesOfKind(model, each, oneId))
}

/** All of one dataclass and kind; `oneId` is the id of their commit if there is only one. */
function changesOfKind(model: SqlModel, rows: readonly PlacedChange[], oneId: string | null): Sql {
  const { dataClass, kind } = rows[0]!.change
  const { name: table, columns } = model.tables[dataClass.ordinal]!
  const key = columns[dataClass.key.ordinal]!
  const sent: ValueColumn[] = []
  const send = (name: SqlName, type: string, of: (row: PlacedChange) => SqlValue): Sql => {
    sent.push({ name, type, values: rows.map(of) })
    return sql`v.${name}`
  }
  const none = sql`NULL::json`
  const cells: ChangeCells = {
    commitId: oneId === null ? send(COMMIT_ID, 'text', (row) => row.commitId) : sql`${oneId}`,
    ord: send(ORD, 'integer', ({ ord }) => ord),
    dataClass: sql`${dataClass.name}`,
    key: sql`${send(KEY, writtenTypes(key)[0]!, ({ change }) => change.key)}::text`,
    kind: sql`${kind}`,
    // The database has numbered new entities by now.
    record:
      kind === 'insert'
        ? sql`(SELECT t.${RECORD} FROM ${table} AS t WHERE t.${writtenColumns(key)[0]!} = v.${KEY})`
        : send(RECORD, 'bigint', ({ change }) => change.record),
    stamp: send(STAMP, 'integer', ({ change }) => change.stamp),
    timestamp: send(TIMESTAMP, 'bigint', ({ change }) => change.timestamp),
    replaced:
      kind === 'insert'
        ? none
        : send(REPLACED, 'json', ({ change }) => valuesText(change, change.before)),
    written:
      kind === 'remove'
        ? none
        : send(WRITTEN, 'json', ({ change }) => valuesText(change, change.after)),
  }
  return recordChanges(model.schema, cells, valueRows(sent))
}

const KEY = new SqlName('key')
const REPLACED = new SqlName('replaced')
const WRITTEN = new SqlName('written')

/** The values of a change by attribute; of an update those that differ. */
function valuesText(
  { dataClass, kind, changed }: WorkingChange,
  values: readonly StoredValue[] | null,
): string | null {
  if (values === null) return null
  const { storage } = dataClass
  const labels = labelsOf(dataClass)
  const ordinals = kind === 'update' ? changed : storage.keys()
  let members = ''
  for (const at of ordinals) members += memberText(labels[at]!, storage[at]!, values)
  return `{${members.slice(1)}}`
}

/** The text of a new entity in front of its key. */
export function textAheadOfKey({ dataClass, after }: WorkingChange): string {
  const { key, storage } = dataClass
  const labels = labelsOf(dataClass)
  let members = ''
  for (let at = 0; at < key.ordinal; at++) members += memberText(labels[at]!, storage[at]!, after!)
  return `{${(members + labels[key.ordinal]!.given).slice(1)}`
}
/** The text of a new entity behind its key. */
export function textBehindKey({ dataClass, after }: WorkingChange): string {
  const { key, storage } = dataClass
  const labels = labelsOf(dataClass)
  let members = ''
  for (let at = key.ordinal + 1; at < storage.length; at++)
    members += memberText(labels[at]!, storage[at]!, after!)
  return `${members}}`
}

/** What JSON has of an attribute, with the comma in front. */
interface Label {
  /** In front of a value. */
  readonly given: string
  readonly none: string
}

/** By column. */
function labelsOf(dataClass: ClassModel): readonly Label[] {
  const known = labels.get(dataClass)
  if (known !== undefined) return known
  const made = dataClass.storage.map(({ name }) => {
    const given = `,${JSON.stringify(name)}:`
    return { given, none: `${given}null` }
  })
  labels.set(dataClass, made)
  return made
}
const labels = new WeakMap<ClassModel, readonly Label[]>()

function memberText(
  { given, none }: Label,
  { ordinal, type, dateOnly }: StorageAttribute,
  values: readonly StoredValue[],
): string {
  const value = values[ordinal] ?? null
  if (value === null) return none
  return given + JSON.stringify(shown(type, dateOnly, value))
}

/** Media without their content, which stays in the table. */
function shown(type: string, dateOnly: boolean, value: StoredValue): unknown {
  if (isMedia(value)) return { mediaType: value.mediaType, size: value.size }
  return present(type as never, dateOnly, value)
}
