import type { ClassModel } from '@entia/core'
import {
  type Awaitable,
  type Decision,
  decide,
  type Fetched,
  type Found,
  type Missing,
  type WorkingRow,
  type WorkingStore,
} from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { Lease } from '../connect/lease.ts'
import type { SqlRows, Statement } from '../connect/port.ts'
import { admission, beginSnapshot, readStamp } from '../schema/entia-tables.ts'
import { lockedRecords, locksOfOthers } from '../server-state/lock-pieces.ts'
import { heldSession, holdSession } from '../server-state/session-pieces.ts'
import { joined, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import { commitSql, passedIn } from './commit-sql.ts'
import type { Decided, DeciderOptions, DecidingMode } from './decided.ts'
import { FetchedRows, haveSameRecords } from './fetched-rows.ts'
import { type MissingSql, missingSql, type RowLocking } from './missing-sql.ts'
import { expectUnchanged, holdSql } from './row-lock-sql.ts'

/**
 * One decision within one transaction: facts are fetched on its connection, and rows that it
 * depends on stay locked until its end. Lock by lock in record order; what can wait for a row comes
 * before the gate, and nothing behind it does.
 *
 * All facts are those of one moment, at the latest when the decision ends: rows that were read by
 * key are held, and the gate, or without commits the last statement, checks that no dataclass which
 * was queried has changed since the first fetch. Facts of a snapshot need neither.
 */
export class Deciding<R> {
  readonly #options: DeciderOptions
  readonly #decided: Decided<R>
  readonly #connection: Lease
  readonly #working: WorkingStore
  readonly #mode: DecidingMode
  readonly #fetched = new FetchedRows()
  /** Everything that was asked for. */
  readonly #asked: Missing[] = []
  /** The global stamp of the first fetch; null before. */
  #since: number | null = null
  #isSnapshot: boolean
  /** The answers to what was asked for. */
  #answers: Found[] = []
  /** The connection was given back, and all locks with it. */
  #isAway = false
  /** Questions so far. A single one sees one moment. */
  #questions = 0

  constructor(
    options: DeciderOptions,
    decided: Decided<R>,
    connection: Lease,
    working: WorkingStore,
    mode: DecidingMode,
  ) {
    this.#options = options
    this.#decided = decided
    this.#connection = connection
    this.#working = working
    this.#mode = mode
    this.#isSnapshot = mode.isSnapshot
  }

  /** The facts that were asked for so far: another attempt should ask for them first. */
  get asked(): readonly Missing[] {
    return this.#asked
  }

  /** The entities that were read by their keys. */
  get entities(): readonly WorkingRow[] {
    const entities: WorkingRow[] = []
    for (const found of this.#answers)
      if (found.missing.kind === 'entity' && 'rows' in found)
        for (const row of found.rows) entities.push(row)
    return entities
  }

  /** False from the moment in which a body wants to write. */
  get isSnapshot(): boolean {
    return this.#isSnapshot
  }

  /** Decides. The transaction stays open. Throws what fetching throws. */
  async decide(): Promise<Decision<R>> {
    const { name, predicted, first, maxRuns } = this.#decided
    const body = (working: WorkingStore) => this.#bounded(this.#decided.body(working))
    const isBlank = predicted.length === 0 && first === undefined
    const given = isBlank ? undefined : await this.#fetch(predicted, first)
    const fetch = (missing: readonly Missing[]) =>
      this.#isAway ? this.#again(missing) : this.#fetch(missing)
    let decision = await decide(this.#working, body, { name, fetch, given, maxRuns })
    this.#options.figures.replays += decision.runs - 1
    if (this.#isAway && !this.#isSnapshot) await this.#regain()
    if (!this.#isSnapshot || this.#decided.wantsToWrite?.() !== true) return decision
    const again = await this.#leaveSnapshot()
    decision = await decide(this.#working, body, { name, fetch, given: again, maxRuns })
    this.#options.figures.replays += decision.runs - 1
    return decision
  }

  /**
   * Ends what was decided without commits; its global stamp. Throws a `conflict` if it has read
   * facts of several moments.
   */
  async conclude({ reads: { queried } }: Decision<R>): Promise<number> {
    const isShown = this.#isSnapshot || this.#decided.wantsToWrite !== undefined
    if (this.#since === null) await this.#fetch([])
    else if (!isShown && this.#questions > 1 && queried.size > 0)
      await this.#connection.send([this.#unchanged(queried), COMMIT])
    return this.#since!
  }

  /**
   * Reads everything again that the snapshot has shown, now to hold it. Throws a `conflict` if it
   * has changed.
   */
  async #leaveSnapshot(): Promise<Fetched | undefined> {
    this.#isSnapshot = false
    if (this.#since === null) return undefined
    await this.#connection.send([COMMIT])
    const before = this.#answers
    const fetched = await this.#again([])
    if (!haveSameRecords(before, fetched.found)) throw new DatabaseError('conflict', null)
    return fetched
  }

  /** Fetches everything that was asked for in another transaction, and what is missing. */
  async #again(missing: readonly Missing[]): Promise<Fetched> {
    this.#isAway = false
    this.#since = null
    this.#answers = []
    this.#fetched.clear()
    this.#questions = 0
    const fetched = await this.#fetch([...this.#asked.splice(0), ...missing])
    this.#working.forgetFacts()
    return fetched
  }

  /**
   * A body that waits for something else has its connection for a bounded time: others need it, and
   * the rows that it holds. Bodies of `transact` have a time of their own.
   */
  async #bounded(result: Awaitable<R>): Promise<R> {
    if (this.#decided.wantsToWrite !== undefined) return result
    let back: Promise<void> | null = null
    const stop = this.#options.after(MAX_HELD_MILLISECONDS, () => {
      this.#isAway = this.#since !== null
      back = this.#connection.giveBack()
    })
    try {
      return await result
    } finally {
      stop()
      await back
    }
  }

  /** Holds again what was decided on. Throws a `conflict` if it has changed meanwhile. */
  async #regain(): Promise<void> {
    const before = this.#answers
    const { found } = await this.#again([])
    if (!haveSameRecords(before, found)) throw new DatabaseError('conflict', null)
  }

  /** Sends the commits of a decision and ends the transaction; the global stamp of the last one. */
  async commit(decision: Decision<R>, commitIds: readonly string[]): Promise<number> {
    const { model, state, writer } = this.#options
    if (this.#since === null) await this.#fetch([])
    const { queried } = decision.reads
    const { commits } = decision
    const holds = holdSql({
      model,
      state,
      session: this.#decided.session,
      commits,
      lockOf: (dataClass, record) => this.#fetched.at(dataClass, record).hold,
      waits: this.#mode?.isAlone === true,
    })
    const { rowChanges, others, gate } = commitSql({
      model,
      tables: state.tables,
      writer,
      commits,
      queried,
      seen: this.#since!,
      stampOf: (dataClass, record) => this.#fetched.at(dataClass, record).stamp,
      commitIds,
    })
    const results = await this.#connection.send([
      ...holds.map(statementOf),
      ...[...rowChanges, ...others, gate].map(statementOf),
      COMMIT,
    ])
    const { figures } = this.#options
    figures.commits += commits.length
    const { stamps, waited } = passedIn(results.at(-2)!)
    figures.gateWaits.observe(waited)
    return stamps.at(-1)!
  }

  async #fetch(missing: readonly Missing[], first?: MissingSql): Promise<Fetched> {
    const { model, state, maxRows } = this.#options
    const { session } = this.#decided
    const questions = [
      ...(first === undefined ? [] : [first]),
      ...missingSql(model, missing, this.#locking, maxRows),
    ]
    // One by one: a long list does not fit into the arguments of a call.
    for (const each of missing) this.#asked.push(each)
    const opening = this.#since === null ? this.#opening(session) : []
    const records = questions.flatMap(({ records }) => (records === null ? [] : [records]))
    // Those of the caller, too: a function goes on without its session after an `await`.
    const locks =
      records.length > 0
        ? [statementOf(locksOfOthers(state, joined(records, sql` UNION ALL `), null))]
        : []
    const statements = [
      ...opening,
      ...questions.map(({ select }) => statementOf(select)),
      ...this.#checks(),
      ...locks,
    ]
    const results = await this.#send(statements)
    this.#questions += questions.length
    if (this.#since === null) this.#since = this.#openedAt(results, session)
    const held = locks.length === 0 ? [] : lockedRecords(results.at(-1)!)
    const found = this.#read(questions, results.slice(opening.length), held)
    for (const each of found) this.#answers.push(each)
    return { found, globalStamp: this.#since }
  }

  /** A body that cannot begin again must not see facts of several moments, whatever it does. */
  #checks(): readonly Statement[] {
    const { queried } = this.#working
    const isShown = this.#decided.wantsToWrite !== undefined && !this.#isSnapshot
    return isShown && this.#since !== null && queried.size > 0 ? [this.#unchanged(queried)] : []
  }
  #unchanged(queried: ReadonlySet<ClassModel>): Statement {
    const { schema } = this.#options.model
    return statementOf(expectUnchanged(schema, queried, this.#since!))
  }

  /**
   * The first fetch waits for rows in their order. A later one would wait for them out of order, so
   * the decision is made again with all of them in the first fetch.
   */
  get #locking(): RowLocking {
    if (this.#isSnapshot) return null
    const { written, isAlone } = this.#mode
    return { written, waits: isAlone || this.#since === null }
  }

  /** The results of the next statements; the first ones begin the transaction. */
  async #send(statements: readonly Statement[]): Promise<readonly SqlRows[]> {
    if (this.#since !== null) return this.#connection.send(statements)
    const { schema } = this.#options.model
    if (this.#isSnapshot) return beginSnapshot(this.#connection, schema, statements)
    const [, ...results] = await this.#connection.send([BEGIN, ...statements])
    return results
  }

  /**
   * The global stamp, and the session: while it is held it cannot end. A snapshot holds no row.
   */
  #opening(session: string | null): readonly Statement[] {
    const { model, state } = this.#options
    const { schema } = model
    if (this.#isSnapshot) return [readStamp(schema)]
    return [
      statementOf(admission(schema, this.#mode.isAlone)),
      ...(session === null ? [] : [statementOf(holdSession(state, session))]),
    ]
  }
  #openedAt(results: readonly SqlRows[], session: string | null): number {
    if (session !== null && !this.#isSnapshot) heldSession(results[1]!)
    const stamp = Number(results[0]!.rows[0]![0])
    this.#options.dataset.note(stamp)
    return stamp
  }

  #read(
    questions: readonly MissingSql[],
    results: readonly SqlRows[],
    held: ReturnType<typeof lockedRecords>,
  ): Fetched['found'] {
    const holders = new Map(
      held.map((lock) => [`${lock.dataClass} ${lock.recordNumber}`, lock.holder]),
    )
    const all = questions.flatMap((question, at) => question.read(results[at]!))
    for (const found of all)
      for (const row of 'rows' in found ? found.rows : [])
        this.#fetched.note(row, found.missing, this.#mode.written.has(row.dataClass))
    if (holders.size === 0) return all
    return all.map((found) => {
      if (!('rows' in found)) return found
      const rows = found.rows.map((row) => {
        const lockedBy = holders.get(`${row.dataClass.name} ${row.record}`) ?? null
        return lockedBy === null ? row : { ...row, lockedBy }
      })
      return { ...found, rows }
    })
  }
}

/** The most time that a body has a connection while it waits for something else. */
const MAX_HELD_MILLISECONDS = 500
