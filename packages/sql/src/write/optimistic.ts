import {
  type Decision,
  decide,
  type Found,
  type WorkingChange,
  type WorkingRow,
  type WorkingStore,
} from '@entia/engine'
import type { SqlPool, SqlRows } from '../connect/port.ts'
import { STAMPS } from '../schema/dataset.ts'
import { admission } from '../schema/entia-tables.ts'
import { locksOfOthers } from '../server-state/lock-pieces.ts'
import { holdSession } from '../server-state/session-pieces.ts'
import { joined, type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import { type CommitOutcomes, outcomeUnknown } from './commit-outcomes.ts'
import { commitSql, gateSql, lateChecks } from './commit-sql.ts'
import type { Committed, Decided, DeciderOptions, Timed } from './decided.ts'
import { endAttempt, type KnownFacts } from './known-facts.ts'
import {
  type GivenNumbers,
  givenIn,
  hasNumbersFrom,
  numberedCommit,
  numbersOf,
} from './numbered-commit.ts'
import { keepRows } from './recent-rows.ts'
import { expectName, expectRows, sharedRows, writtenValues } from './row-lock-sql.ts'

/**
 * Decides on what the process knows, and has the database check it in the round trip of the commit.
 * Null if the decision needs other facts, or leads to something else than one change, or than new
 * entities of one dataclass. Throws as `CommitOutcomes.settled`: a `conflict` if an entity has
 * changed.
 */
export async function decideOptimistically<R>(
  options: DeciderOptions & { readonly pool: SqlPool },
  decided: Timed<R>,
  working: WorkingStore,
  known: KnownFacts,
  outcomes: CommitOutcomes,
): Promise<Committed<R> | null> {
  const { pool, figures, dataset, model } = options
  const { recent, rows, numbered } = known
  const decision = await decisionOn(decided, working, known.found, dataset.globalStamp).catch(
    (error: unknown) => {
      endAttempt(known, 'dropped')
      throw error
    },
  )
  if (decision === null || !isCheckable(options, decision, known)) {
    endAttempt(known, 'dropped')
    working.empty()
    return null
  }
  figures.attempts++
  let isStored = false
  let commitId = ''
  let given: GivenNumbers | null = null
  try {
    const committed = await outcomes.settled<R>(decided.time, (begin) =>
      pool.connect(async ({ send }) => {
        commitId = begin(decision)[0]!
        const parts = numbered === null ? changedParts : insertedParts
        const { statements, read } = parts({ options, decided, known, decision, commitId })
        const results = await send([BEGIN, ...statements.map(statementOf), COMMIT])
        isStored = true
        given = read(results)
        const [stamp, waited] = results.at(-2)!.rows[0]!
        const globalStamp = Number(stamp)
        figures.commits++
        figures.gateWaits.observe(Number(waited))
        dataset.note(globalStamp)
        return { decision, globalStamp }
      }),
    )
    if (numbered === null) {
      keepRows(recent, rows, decision.commits)
      return committed
    }
    const { length } = numbered.numbers
    given ??= await numbersOf(pool, model.schema, commitId, length)
    if (given === null) throw outcomeUnknown()
    const renumbered = await withNumbers(decided, working, known, decision, given)
    keepRows(recent, rows, renumbered.commits, given.records)
    return { ...committed, decision: renumbered }
  } finally {
    endAttempt(known, isStored ? 'stored' : 'failed')
  }
}

/** Ends a run that asks for a fact which the process does not know. */
const NOT_KNOWN = Symbol('not known')

/** The decision on some facts; null if it needs others. */
async function decisionOn<R>(
  { name, body }: Pick<Decided<R>, 'name' | 'body'>,
  working: WorkingStore,
  found: readonly Found[],
  globalStamp: number,
): Promise<Decision<R> | null> {
  const fetch = (): PromiseLike<never> => Promise.reject(NOT_KNOWN)
  try {
    return await decide(working, body, { name, fetch, given: { found, globalStamp } })
  } catch (error) {
    if (error === NOT_KNOWN) return null
    throw error
  }
}

/**
 * Whether the database can check everything that a decision depends on: it must not have read
 * anything else, and an error could be that of an entity which has changed.
 */
function isCheckable(
  { model }: Pick<DeciderOptions, 'model'>,
  { kind, commits, reads }: Decision<unknown>,
  { numbered }: KnownFacts,
): boolean {
  const [commit] = commits
  if (kind === 'thrown' || commit === undefined || commits.length > 1) return false
  if (reads.queried.size > 0 || writtenValues(model, commits).length > 0) return false
  const { changes, sequences } = commit
  if (numbered === null)
    return changes.length === 1 && changes[0]!.record !== null && sequences.length === 0
  const { dataClass, numbers } = numbered
  return changes.length === numbers.length && hasNumbersFrom(commit, dataClass, numbers[0]!)
}

/**
 * The same decision with the numbers that the database has given. It cannot differ by anything
 * else: see `canBeNumberedLate`.
 */
async function withNumbers<R>(
  decided: Decided<R>,
  working: WorkingStore,
  { found, numbered }: KnownFacts,
  decision: Decision<R>,
  { numbers }: GivenNumbers,
): Promise<Decision<R>> {
  if (numbers.every((number, at) => number === numbered!.numbers[at])) return decision
  const facts = found.map((each) => ('numbers' in each ? { ...each, numbers } : each))
  working.forgetFacts()
  const again = await decisionOn(decided, working, facts, decision.commits[0]!.globalStamp - 1)
  if (again === null) throw new Error('The same decision with other numbers needs other facts.')
  return again
}

/** What the statements of a commit are made from. */
interface CommitParts {
  readonly options: DeciderOptions
  readonly decided: Pick<Decided<unknown>, 'session'>
  readonly known: KnownFacts
  readonly decision: Decision<unknown>
  readonly commitId: string
}

/** The statements between BEGIN and COMMIT, and the reader of their results with those two. */
interface Parts {
  readonly statements: readonly Sql[]
  read(results: readonly SqlRows[]): GivenNumbers | null
}

/**
 * The transaction of one change. It is refused (SQLSTATE EN001) if something that was decided on is
 * no longer so: the epoch, the session, the stamp of an entity, or that no other session has locked
 * it. The row of the change is held by the change itself; then the others are not waited for, and
 * locks are looked up behind the rows.
 */
function changedParts({ options, decided, known, decision, commitId }: CommitParts): Parts {
  const { model, state, writer } = options
  const { commits } = decision
  const { rows } = known
  const [change] = commits[0]!.changes as [WorkingChange]
  const isWritten = ({ dataClass, record }: WorkingRow): boolean =>
    dataClass === change.dataClass && record === change.record
  const { rowChanges, others, gates } = commitSql({
    model,
    tables: state.tables,
    writer,
    commits,
    queried: decision.reads.queried,
    seen: 0,
    stampOf: () => rows.find(isWritten)!.stamp,
    commitIds: [commitId],
  })
  const records = rows.map(
    ({ dataClass, record }) => sql`(SELECT ${dataClass.name}::text, ${record}::bigint)`,
  )
  const locks = locksOfOthers(state, joined(records, sql` UNION ALL `), decided.session)
  const read = rows.filter((row) => !isWritten(row))
  return {
    statements: [
      ...opening(options, decided, known),
      ...rowChanges,
      ...sharedRows(model, read),
      expectRows(model.schema, 0, locks),
      ...others,
      ...gates,
    ],
    read: () => null,
  }
}

/**
 * The transaction of new entities, which get their numbers with it: no other transaction waits for
 * a number while this process decides. It is refused as that of a change. Locks of related entities
 * do not matter to dataclasses without hooks.
 */
function insertedParts({ options, decided, known, decision, commitId }: CommitParts): Parts {
  const { model, writer } = options
  const { commits, reads } = decision
  const commit = commits[0]!
  const gate = { model, writer, queried: reads.queried, seen: 0, commitIds: [commitId] }
  const before = [...opening(options, decided, known), ...sharedRows(model, known.rows)]
  return {
    statements: [
      ...before,
      numberedCommit(model, commit.changes, commitId),
      ...lateChecks(model, commits),
      gateSql(gate, commit, 0, []),
    ],
    read: (results) => givenIn(results[1 + before.length]!),
  }
}

/**
 * Lets the transaction in to write, in the epoch in which it was decided: no other one begins until
 * its end. It holds the session.
 */
function opening(
  { model: { schema }, state }: DeciderOptions,
  { session }: Pick<Decided<unknown>, 'session'>,
  { recent }: KnownFacts,
): readonly Sql[] {
  const admitted = sql`SELECT ${expectName(schema)}(a.stamp / ${STAMPS}::bigint, ${recent.epoch}::bigint) FROM (${admission(schema, false)}) AS a`
  return session === null
    ? [admitted]
    : [admitted, expectRows(schema, 1, holdSession(state, session))]
}
