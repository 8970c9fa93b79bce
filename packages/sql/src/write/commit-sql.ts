import type { ClassModel } from '@entia/core'
import {
  isMedia,
  numberedAttributes,
  present,
  type StoredValue,
  type WorkingChange,
  type WorkingCommit,
} from '@entia/core/kit'
import { valueRows } from '../schema/bound-values.ts'
import { writtenTypes } from '../schema/row-codec.ts'
import { moveNumber, passNumber } from '../schema/sequences.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { dropLocks } from '../state/lock-pieces.ts'
import type { StateTables } from '../state/tables.ts'
import { type Sql, SqlName, sql } from '../text/sql.ts'
import { changeSql, type StampOf } from './change-sql.ts'
import { expectName } from './expect-function.ts'
import { mergedCommit } from './merged-commit.ts'

/** What a decision was based on, and what it leads to. */
export interface CommitSqlOptions {
  readonly model: SqlModel
  readonly tables: StateTables
  readonly commits: readonly WorkingCommit[]
  /** Dataclasses that were queried, and what the decision could see of them: `storeRow`. */
  readonly queried: ReadonlySet<ClassModel>
  readonly seen: string
  readonly stampOf: StampOf
  /** The highest number that was drawn of each sequence; null if the sequences are held. */
  readonly drawn: ReadonlyMap<ClassModel, number> | null
  /** One id for each commit. */
  readonly commitIds: readonly string[]
}

/**
 * The statements that store the commits of a decision, in the order in which they must be sent; the
 * last ones are the gates, each of which answers the global stamp of its commit and the
 * milliseconds that it took. Everything that can wait for a row comes before the gates. Throws
 * `valueInvalid` for texts that PostgreSQL cannot store.
 */
export function commitSql(options: CommitSqlOptions): {
  readonly changes: readonly Sql[]
  readonly gates: readonly Sql[]
} {
  const { model, commits, tables, stampOf } = options
  const { schema } = model
  const changes: Sql[] = []
  const net = [...byDataClass(mergedCommit(commits))].sort(([a], [b]) => a.ordinal - b.ordinal)
  for (const [dataClass, list] of net) {
    for (const { statement, rows } of changeSql(model, dataClass, list, stampOf))
      changes.push(expecting(schema, statement, rows))
    const removed = list.flatMap(({ kind, record }) =>
      kind === 'remove' && record !== null ? [record] : [],
    )
    if (removed.length > 0) changes.push(dropLocks({ tables }, dataClass.name, removed))
  }
  changes.push(...numberSql(options))
  commits.forEach((commit, at) => {
    changes.push(...changeRows(options, commit, options.commitIds[at]!))
  })
  changes.push(sql`SET CONSTRAINTS ALL IMMEDIATE`)
  return { changes, gates: commits.map((commit, at) => gate(options, commit, at)) }
}

function byDataClass({ changes }: WorkingCommit): ReadonlyMap<ClassModel, WorkingChange[]> {
  const classes = new Map<ClassModel, WorkingChange[]>()
  for (const change of changes) {
    const list = classes.get(change.dataClass)
    if (list === undefined) classes.set(change.dataClass, [change])
    else list.push(change)
  }
  return classes
}

/** Refuses the transaction if a statement changed other rows than the decision was about. */
const expecting = (schema: string, statement: Sql, rows: number): Sql =>
  sql`WITH changed AS (${statement} RETURNING 1) SELECT ${expectName(schema)}(count(*), ${rows}::bigint) FROM changed`

/** The statements that move the sequences beyond the numbers of the commits. */
function numberSql({ model, commits, drawn }: CommitSqlOptions): readonly Sql[] {
  const { schema } = model
  if (drawn !== null)
    return Array.from(givenNumbers(commits))
      .filter(([dataClass, given]) => given > (drawn.get(dataClass) ?? 0))
      .map(([{ name }, given]) => passNumber(schema, name, given))
  const next = new Map<ClassModel, number>()
  for (const { sequences } of commits)
    for (const sequence of sequences) next.set(sequence.dataClass, sequence.next)
  return Array.from(next, ([{ name }, number]) => moveNumber(schema, name, number))
}

/** The highest number of a sequence that entities of the commits have. */
function givenNumbers(commits: readonly WorkingCommit[]): ReadonlyMap<ClassModel, number> {
  const highest = new Map<ClassModel, number>()
  for (const { dataClass, after } of commits.flatMap(({ changes }) => changes))
    for (const { ordinal } of after === null ? [] : numberedAttributes(dataClass)) {
      const number = Number(after![ordinal] ?? 0)
      if (number > (highest.get(dataClass) ?? 0)) highest.set(dataClass, number)
    }
  return highest
}

/** The gate of one commit. Only the first one checks what was queried: the others follow it. */
function gate(
  { model, queried, seen, commitIds }: CommitSqlOptions,
  { changes }: WorkingCommit,
  at: number,
): Sql {
  const added = new Map<string, number>()
  for (const { dataClass, kind } of changes) {
    const more = kind === 'insert' ? 1 : kind === 'remove' ? -1 : 0
    added.set(dataClass.name, (added.get(dataClass.name) ?? 0) + more)
  }
  const reads = at === 0 ? [...queried].map(({ name }) => name) : []
  const waited = sql`extract(epoch FROM clock_timestamp() - statement_timestamp())::double precision * 1000`
  return sql`SELECT g.stamp, ${waited} FROM ${new SqlName(model.schema, 'entia_gate')}(${reads}::text[], ${seen}, ${[...added.keys()]}::text[], ${[...added.values()]}::bigint[], ${commitIds[at]!}) AS g (stamp)`
}

const [ORD, KEY, KIND, BEFORE, AFTER] = ['ord', 'key', 'kind', 'before', 'after'].map(
  (name) => new SqlName(name),
) as [SqlName, SqlName, SqlName, SqlName, SqlName]

/** The rows of the change table: one for each entity of a commit. */
function changeRows(
  { model }: CommitSqlOptions,
  { changes }: WorkingCommit,
  commitId: string,
): readonly Sql[] {
  const classes = new Map<ClassModel, number[]>()
  for (const [ord, { dataClass }] of changes.entries()) {
    const list = classes.get(dataClass)
    if (list === undefined) classes.set(dataClass, [ord])
    else list.push(ord)
  }
  return Array.from(classes, ([dataClass, ords]) => {
    const { columns } = model.tables[dataClass.ordinal]!
    const key = columns[dataClass.key.ordinal]!
    const list = ords.map((ord) => changes[ord]!)
    const target = new SqlName(model.schema, 'entia_change')
    const rows = valueRows([
      { name: ORD, type: 'integer', values: ords },
      { name: KEY, type: writtenTypes(key)[0]!, values: list.map((each) => each.key) },
      { name: KIND, type: 'text', values: list.map(({ kind }) => kind) },
      { name: BEFORE, type: 'json', values: list.map((each) => valuesText(each, each.before)) },
      { name: AFTER, type: 'json', values: list.map((each) => valuesText(each, each.after)) },
    ])
    return sql`INSERT INTO ${target} (commit_id, ord, class, key, kind, before, after) SELECT ${commitId}, v.ord, ${dataClass.name}, v.key::text, v.kind, v.before, v.after FROM ${rows}`
  })
}

/** The values of a change by attribute. Those before an update: only where they differ. */
function valuesText(
  { dataClass, kind, changed, before }: WorkingChange,
  values: readonly StoredValue[] | null,
): string | null {
  if (values === null) return null
  const isPartial = kind === 'update' && values === before
  const columns = isPartial ? changed : dataClass.storage.keys()
  const members = new Map<string, unknown>()
  for (const at of columns) {
    const { name, type, dateOnly } = dataClass.storage[at]!
    members.set(name, shown(type, dateOnly, values[at] ?? null))
  }
  return JSON.stringify(Object.fromEntries(members))
}

/** Media without their content, which stays in the table. */
function shown(type: string, dateOnly: boolean, value: StoredValue): unknown {
  if (value === null) return null
  if (isMedia(value)) return { mediaType: value.mediaType, size: value.size }
  return present(type as never, dateOnly, value)
}
