import { type Decision, decide, type Fetched, type Missing, type WorkingStore } from '@entia/engine'
import { statementOf } from '../sql-builder/statement.ts'
import type { CommitGroups } from './commit-groups.ts'
import { type CommitOutcomes, outcomeUnknown } from './commit-outcomes.ts'
import type { Committed, Decided, DeciderOptions, Timed } from './decided.ts'
import { endAttempt, type Knowledge, type KnownFacts, knownFacts } from './known-facts.ts'
import { missingSql } from './missing-sql.ts'
import { type GivenNumbers, hasNumbersFrom, numbersOf } from './numbered-commit.ts'
import { keepRows } from './recent-rows.ts'
import { writtenValues } from './row-lock-sql.ts'

/** What stores decisions, and knows what became of them. */
export interface Storing {
  readonly outcomes: CommitOutcomes
  readonly groups: CommitGroups
}

/**
 * Decides on what the process knows or reads without holding it, and has the database check it in
 * the round trip of the commit.
 * Null if the decision needs other facts, or leads to something else than one change, or than new
 * entities of one dataclass; the facts that it needs are added to `wanted`. Throws as
 * `CommitOutcomes.settled`: a `conflict` if an entity has changed.
 */
export async function decideOptimistically<R>(
  options: DeciderOptions,
  decided: Timed<R>,
  working: WorkingStore,
  knowledge: Knowledge,
  { outcomes, groups }: Storing,
  wanted: Missing[],
): Promise<Committed<R> | null> {
  const { pool, figures, dataset, model } = options
  const known = await completed(options, decided, knowledge)
  if (known === null) return null
  const { recent, rows, numbered } = known
  const facts = { found: known.found, globalStamp: dataset.globalStamp }
  const decision = await decisionOn(decided, working, facts, wanted).catch((error: unknown) => {
    endAttempt(known, 'dropped')
    throw error
  })
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
    const committed = await outcomes.settled<R>(decided.time, async (begin) => {
      const { session } = decided
      const stored = await groups.store({ commit: decision.commits[0]!, known, session }, () => {
        commitId = begin(decision)[0]!
        return commitId
      })
      given = stored.given
      return { decision, globalStamp: stored.globalStamp }
    })
    isStored = true
    if (numbered === null) {
      keepRows(recent, rows, decision.commits)
      return committed
    }
    const { length } = numbered.numbers
    given ??= await outcomes.lookUp(() => numbersOf(pool, model.schema, commitId, length))
    if (given === null) throw outcomeUnknown()
    const renumbered = await withNumbers(decided, working, known, decision, given)
    keepRows(recent, rows, renumbered.commits, given.records)
    return { ...committed, decision: renumbered }
  } finally {
    endAttempt(known, isStored ? 'stored' : 'failed')
  }
}

/** Reads the entities that are not known; null if the decision must not be attempted then. */
async function completed(
  { pool, model, recent, maxRows }: DeciderOptions,
  decided: Timed<unknown>,
  knowledge: Knowledge,
): Promise<KnownFacts | null> {
  if (knowledge.kind === 'known') return knowledge.facts
  // Of different moments if there are several: the stamp of each is checked.
  const questions = missingSql(model, knowledge.missing, null, maxRows)
  const found = await Promise.all(
    questions.map(async ({ select, read }) => read(await pool.query(statementOf(select)))),
  )
  const now = knownFacts(model, recent, decided, found.flat())
  return now?.kind === 'known' ? now.facts : null
}

/** Ends a run that asks for a fact which the process does not know. */
const NOT_KNOWN = Symbol('not known')

/** The decision on some facts; null if it needs others, which are added to `wanted`. */
async function decisionOn<R>(
  { name, body }: Pick<Decided<R>, 'name' | 'body'>,
  working: WorkingStore,
  given: Fetched,
  wanted: Missing[],
): Promise<Decision<R> | null> {
  const fetch = (missing: readonly Missing[]): PromiseLike<never> => {
    wanted.push(...missing)
    return Promise.reject(NOT_KNOWN)
  }
  try {
    return await decide(working, body, { name, fetch, given })
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
  const globalStamp = decision.commits[0]!.globalStamp - 1
  const again = await decisionOn(decided, working, { found: facts, globalStamp }, [])
  if (again === null) throw new Error('The same decision with other numbers needs other facts.')
  return again
}
