import type { ClassModel } from '@entia/core'
import type { WorkingCommit, WorkingRow } from '@entia/engine'
import type { SqlRows } from '../connect/port.ts'
import { grouped } from '../grouped.ts'
import { valueRows } from '../schema/bound-values.ts'
import { STAMPS } from '../schema/dataset.ts'
import { admission } from '../schema/entia-tables.ts'
import { locksOfOthers } from '../server-state/lock-pieces.ts'
import { holdSession } from '../server-state/session-pieces.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import { commitSql, gateSql, lateChecks, passedIn } from './commit-sql.ts'
import type { DeciderOptions } from './decided.ts'
import type { KnownFacts } from './known-facts.ts'
import { type GivenNumbers, givenIn, numberedCommit } from './numbered-commit.ts'
import { nameOf } from './recent-rows.ts'
import { expectName, expectRows, heldRows } from './row-lock-sql.ts'

/**
 * A transaction in one round trip that stores commits which were decided on what the process knows.
 * It is refused (SQLSTATE EN001) if something that was decided on is no longer so: the epoch, the
 * session, the stamp of an entity, or that no other session has locked it.
 */

/** A commit with what was known when it was decided. */
export interface CheckedCommit {
  readonly commit: WorkingCommit
  readonly known: KnownFacts
  /** See `Decided`. */
  readonly session: string | null
}

/** What became of commits that were stored, in their order. */
export interface StoredCommits {
  readonly stamps: readonly number[]
  /** Milliseconds at the gate. */
  readonly waited: number
  /** What new entities got; empty for changes of known ones. */
  readonly given: readonly GivenNumbers[]
}

/** The statements of a transaction, and the reader of their results. */
export interface CheckedTransaction {
  readonly statements: ReturnType<typeof statementOf>[]
  read(results: readonly SqlRows[]): StoredCommits
}

/**
 * The transaction of some commits: either one change of a known entity each, all of different ones,
 * or new entities of one dataclass.
 */
export function checkedTransaction(
  options: DeciderOptions,
  checked: readonly CheckedCommit[],
  commitIds: readonly string[],
): CheckedTransaction {
  const isNew = checked[0]!.known.numbered !== null
  const opening = openingOf(options, checked)
  const { before, rest } = (isNew ? insertions : changes)(options, checked, commitIds)
  const statements = [...opening, ...before, ...rest]
  return {
    statements: [BEGIN, ...statements.map(statementOf), COMMIT],
    read: (results) => ({
      ...passedIn(results.at(-2)!),
      given: isNew
        ? givenIn(
            results[1 + opening.length + before.length]!,
            checked.map(({ commit }) => commit.changes.length),
          )
        : [],
    }),
  }
}

interface Statements {
  readonly before: readonly Sql[]
  readonly rest: readonly Sql[]
}

/**
 * Changes of known entities. The row of a single change is held by the change itself, which waits
 * for it. Several are held before, and not waited for: a transaction that waits for a row while it
 * holds others could wait for one that waits for it. Rows that were only read are not waited for,
 * and locks are looked up behind the rows.
 */
function changes(
  { model, state, writer }: DeciderOptions,
  checked: readonly CheckedCommit[],
  commitIds: readonly string[],
): Statements {
  const rows = new Map<string, WorkingRow>()
  for (const { known } of checked) for (const row of known.rows) rows.set(nameOf(row), row)
  const writtenNames = new Set(checked.map(({ commit }) => nameOf(commit.changes[0]!)))
  const [written, read] = [true, false].map((isWritten) =>
    Array.from(rows).flatMap(([name, row]) => (writtenNames.has(name) === isWritten ? [row] : [])),
  ) as [WorkingRow[], WorkingRow[]]
  const { rowChanges, others, gate } = commitSql({
    model,
    tables: state.tables,
    writer,
    commits: checked.map(({ commit }) => commit),
    queried: new Set(),
    seen: 0,
    stampOf: (dataClass, record) => rows.get(nameOf({ dataClass, record }))!.stamp,
    commitIds,
  })
  const held = checked.length === 1 ? [] : heldRows(model, written, 'NO KEY UPDATE')
  return {
    before: [...held, ...rowChanges, ...heldRows(model, read, 'SHARE')],
    rest: [...unlocked(model.schema, state, checked), ...others, gate],
  }
}

/** Refuses entities that another session than that of their commit has locked. */
function unlocked(
  schema: string,
  state: DeciderOptions['state'],
  checked: readonly CheckedCommit[],
): readonly Sql[] {
  const bySession = grouped(checked, ({ session }) => session)
  return Array.from(bySession, ([session, commits]) => {
    const rows = commits.flatMap(({ known }) => known.rows)
    const records = valueRows([
      { name: CLASS, type: 'text', values: rows.map(({ dataClass }) => dataClass.name) },
      { name: RECORD, type: 'bigint', values: rows.map(({ record }) => record) },
    ])
    const locks = locksOfOthers(state, sql`SELECT v.class, v.rec FROM ${records}`, session)
    return expectRows(schema, 0, locks)
  })
}

const CLASS = new SqlName('class')
const RECORD = new SqlName('rec')

/**
 * New entities, which get their numbers with the transaction: no other one waits for a number while
 * this process decides. Locks of related entities do not matter to dataclasses without hooks.
 */
function insertions(
  { model, writer }: DeciderOptions,
  checked: readonly CheckedCommit[],
  commitIds: readonly string[],
): Statements {
  const commits = checked.map(({ commit }) => commit)
  const read = new Map(
    checked.flatMap(({ known }) => known.rows.map((row) => [nameOf(row), row] as const)),
  )
  const gate = { model, writer, queried: new Set<ClassModel>(), seen: 0, commits, commitIds }
  return {
    before: heldRows(model, [...read.values()], 'SHARE'),
    rest: [
      numberedCommit(model, commits, commitIds),
      ...lateChecks(model, commits),
      gateSql(gate, []),
    ],
  }
}

/**
 * Lets the transaction in to write, in the epoch in which it was decided: no other one begins until
 * its end. It holds the sessions.
 */
function openingOf(
  { model: { schema }, state }: DeciderOptions,
  checked: readonly CheckedCommit[],
): readonly Sql[] {
  const { epoch } = checked[0]!.known.recent
  const admitted = sql`SELECT ${expectName(schema)}(a.stamp / ${STAMPS}::bigint, ${epoch}::bigint) FROM (${admission(schema, false)}) AS a`
  const sessions = new Set(checked.flatMap(({ session }) => (session === null ? [] : [session])))
  return [
    admitted,
    ...Array.from(sessions, (session) => expectRows(schema, 1, holdSession(state, session))),
  ]
}
