import {
  type Decision,
  decide,
  type Missing,
  type WorkingChange,
  type WorkingRow,
  type WorkingStore,
} from '@entia/engine'
import type { SqlPool, Statement } from '../connect/port.ts'
import { valueRows } from '../schema/bound-values.ts'
import { STAMPS } from '../schema/dataset.ts'
import { admission } from '../schema/entia-tables.ts'
import { RECORD, STAMP } from '../schema/row-sql.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { locksOfOthers } from '../server-state/lock-pieces.ts'
import { holdSession } from '../server-state/session-pieces.ts'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import type { CommitOutcomes } from './commit-outcomes.ts'
import { commitSql } from './commit-sql.ts'
import type { Committed, Decided, DeciderOptions, Timed } from './decided.ts'
import { expectName } from './expect-function.ts'
import { keepRows, type RecentRows } from './recent-rows.ts'
import { writtenValues } from './row-lock-sql.ts'

/** A decision needs more of them only where it saves many entities. */
const MAX_ROWS = 4

/** Entities that were read lately and answer everything that a decision is predicted to ask. */
export interface KnownRows {
  readonly recent: RecentRows
  readonly facts: readonly KnownFact[]
}

interface KnownFact {
  readonly missing: Extract<Missing, { readonly kind: 'entity' }>
  readonly row: WorkingRow
}

/**
 * Decides on entities that were read lately, and has the database check them in the round trip of
 * the commit. Null if the decision needs other facts, or leads to something else than one change.
 * Throws as `CommitOutcomes.settled`: a `conflict` if an entity has changed.
 */
export async function decideOptimistically<R>(
  options: DeciderOptions & { readonly pool: SqlPool },
  decided: Timed<R>,
  working: WorkingStore,
  known: KnownRows,
  outcomes: CommitOutcomes,
): Promise<Committed<R> | null> {
  const { pool, figures, dataset } = options
  const { recent, facts } = known
  const rows = facts.map(({ row }) => row)
  const { dataClass } = rows[0]!
  const decision = await decideOnKnown(options, decided, working, known)
  if (decision === null) {
    recent.attempted(dataClass, false)
    for (const row of rows) recent.put(row)
    working.empty()
    return null
  }
  figures.attempts++
  let isStored = false
  try {
    return await outcomes.settled(decided.time, (begin) =>
      pool.connect(async ({ send }) => {
        const { session } = decided
        const commitIds = begin(decision)
        const results = await send(knownCommit({ options, session, known, decision, commitIds }))
        isStored = true
        const [stamp, waited] = results.at(-2)!.rows[0]!
        const globalStamp = Number(stamp)
        figures.commits++
        figures.gateWaits.observe(Number(waited))
        dataset.note(globalStamp)
        keepRows(recent, rows, decision.commits)
        return { decision, globalStamp }
      }),
    )
  } finally {
    recent.attempted(dataClass, isStored)
  }
}

/** Takes them out of `recent`; null if one is not there, or another kind of fact is needed. */
export function takeKnown(
  recent: RecentRows,
  { predicted, isOptimistic }: Pick<Decided<unknown>, 'predicted' | 'isOptimistic'>,
): KnownRows | null {
  if (isOptimistic !== true || predicted.length === 0 || predicted.length > MAX_ROWS) return null
  const facts: KnownFact[] = []
  for (const missing of predicted) {
    const row = missing.kind === 'entity' ? recent.take(missing.dataClass, missing.key) : null
    if (row === null) break
    facts.push({ missing: missing as KnownFact['missing'], row })
  }
  const isAll = facts.length === predicted.length
  if (isAll && recent.isPromising(facts[0]!.row.dataClass)) return { recent, facts }
  for (const { row } of facts) recent.put(row)
  return null
}

/** Ends a run that asks for what is not known. */
const NOT_KNOWN = Symbol('not known')

/**
 * Decides on entities as they were read lately. Null unless that leads to one change of one of
 * them, so that the database can check everything that the decision depends on: it must not have
 * read anything else, and an error could be that of an entity which has changed.
 */
async function decideOnKnown<R>(
  { model, dataset }: Pick<DeciderOptions, 'model' | 'dataset'>,
  { name, body }: Pick<Decided<R>, 'name' | 'body'>,
  working: WorkingStore,
  { facts }: KnownRows,
): Promise<Decision<R> | null> {
  const found = facts.map(({ missing, row }) => ({ missing, rows: [row] }))
  const given = { found, globalStamp: dataset.globalStamp }
  const fetch = (): PromiseLike<never> => Promise.reject(NOT_KNOWN)
  let decision: Decision<R>
  try {
    decision = await decide(working, body, { name, fetch, given })
  } catch (error) {
    if (error === NOT_KNOWN) return null
    throw error
  }
  const { kind, commits, reads } = decision
  const [commit] = commits
  if (kind === 'thrown' || commit === undefined || commits.length > 1) return null
  const { changes, sequences } = commit
  const isPossible =
    changes.length === 1 &&
    changes[0]!.record !== null &&
    sequences.length === 0 &&
    reads.queried.size === 0 &&
    writtenValues(model, commits).length === 0
  return isPossible ? decision : null
}

/** What the statements of such a commit are made from. */
interface KnownCommit {
  readonly options: DeciderOptions
  readonly session: string | null
  readonly known: KnownRows
  readonly decision: Decision<unknown>
  readonly commitIds: readonly string[]
}

/**
 * The whole transaction of such a decision. It is refused (SQLSTATE EN001) if something that was
 * decided on is no longer so: the epoch, the session, the stamp of an entity, or that no other
 * session has locked it. The row of the change is held by the change itself; then the others are
 * not waited for, and locks are looked up behind the rows.
 */
function knownCommit({
  options,
  session,
  known,
  decision,
  commitIds,
}: KnownCommit): readonly Statement[] {
  const { model, state, writer, globalStamp } = options
  const { schema } = model
  const { commits } = decision
  const [change] = commits[0]!.changes as [WorkingChange]
  const rows = known.facts.map(({ row }) => row)
  const isWritten = ({ dataClass, record }: WorkingRow): boolean =>
    dataClass === change.dataClass && record === change.record
  const { rowChanges, others, gates } = commitSql({
    model,
    tables: state.tables,
    writer,
    commits,
    queried: decision.reads.queried,
    seen: '',
    stampOf: () => rows.find(isWritten)!.stamp,
    drawn: globalStamp === 'rising' ? new Map() : null,
    commitIds,
  })
  const expect = (count: number, query: Sql): Sql =>
    sql`SELECT ${expectName(schema)}(count(*), ${count}::bigint) FROM (${query}) AS q`
  const records = rows.map(
    ({ dataClass, record }) => sql`(SELECT ${dataClass.name}::text, ${record}::bigint)`,
  )
  return [
    BEGIN,
    statementOf(admissionIn(schema, known.recent.epoch)),
    ...(session === null ? [] : [statementOf(expect(1, holdSession(state, session)))]),
    ...rowChanges.map(statementOf),
    ...rows
      .filter((row) => !isWritten(row))
      .map((row) => statementOf(expect(1, share(model, row)))),
    statementOf(expect(0, locksOfOthers(state, joined(records, sql` UNION ALL `), session))),
    ...[...others, ...gates].map(statementOf),
    COMMIT,
  ]
}

/** Lets the transaction in to write, in the epoch in which it was decided: no other one begins. */
const admissionIn = (schema: string, epoch: number): Sql =>
  sql`SELECT ${expectName(schema)}(a.stamp / ${STAMPS}::bigint, ${epoch}::bigint) FROM (${admission(schema, false)}) AS a`

/** Holds a row that is as it was read, so that no other transaction changes it. */
function share({ tables }: SqlModel, { dataClass, record, stamp }: WorkingRow): Sql {
  const found = valueRows([
    { name: RECORD, type: 'bigint', values: [record] },
    { name: STAMP, type: 'integer', values: [stamp] },
  ])
  const [table, values] = [new SqlName('t'), new SqlName('v')]
  return sql`SELECT FROM ${tables[dataClass.ordinal]!.name} AS ${table}, ${found} WHERE ${table}.${RECORD} = ${values}.${RECORD} AND ${table}.${STAMP} = ${values}.${STAMP} FOR SHARE OF ${table} NOWAIT`
}
