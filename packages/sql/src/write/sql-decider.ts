import type { ClassModel } from '@entia/core'
import {
  type Decision,
  engineError,
  type Missing,
  type PendingAfterHook,
  type WorkingCommit,
  type WorkingStore,
} from '@entia/engine'
import {
  DatabaseError,
  type DatabaseFailure,
  isLostConnection,
  publicError,
  RETRY_AFTER_SECONDS,
} from '../connect/database-error.ts'
import { Lease } from '../connect/lease.ts'
import { RequestTime } from '../connect/request-time.ts'
import type { ConflictReason } from '../measure/sql-figures.ts'
import { epochOf } from '../schema/dataset.ts'
import type { ModelVersion } from '../schema/model-version.ts'
import { CommitGroups } from './commit-groups.ts'
import { CommitOutcomes } from './commit-outcomes.ts'
import { decideRead, EntityFacts } from './decide-read.ts'
import type {
  Committed,
  Concluded,
  Decided,
  DeciderOptions,
  DecidingMode,
  Timed,
} from './decided.ts'
import { Deciding } from './deciding.ts'
import { knownFacts } from './known-facts.ts'
import { decideOptimistically, type Storing } from './optimistic.ts'
import { keepRows } from './recent-rows.ts'

export interface SqlDeciderOptions extends DeciderOptions {
  /** See `CommitOutcomesOptions`. */
  readonly processId: string
  /** Asked about decisions that are given up: a migration may have changed the rules. */
  readonly version: ModelVersion
  /** Waits some milliseconds: before a decision is made again, and between look-ups. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly monotonic: () => number
  /** A number from 0 to below 1: spreads the attempts of decisions that disturbed each other. */
  readonly random: () => number
  /** Told of the global stamp of every commit. It must not throw. */
  readonly onCommit: (globalStamp: number) => void
  /** The most time of a request. */
  readonly maxMilliseconds: number
  /** Called with failures that no caller gets. */
  readonly onError: (error: unknown) => void
}

/** How often a decision is made before it is given up. */
const MAX_ATTEMPTS = 8
/** From this attempt on no other transaction may write meanwhile. */
const FIRST_ALONE = 5
/**
 * The most milliseconds that are added to the wait before the second attempt; then twice as many …
 */
const MAX_JITTER = 7
/** How often a decision is made again that breaks a constraint which core should have checked. */
const MAX_CONSTRAINTS = 3
/** How often a decision is made again whose connection broke: others of the pool may be broken. */
const MAX_LOSSES = 2
/**
 * A related entity was removed, or a removed one was referred to, after it was decided: a row that
 * does not exist yet cannot be locked. If no other transaction can write, core has missed it.
 */
const FOREIGN_KEY = '23503'
/** Failures that a migration may be the cause of. */
const OF_MIGRATIONS: readonly DatabaseFailure[] = ['unique', 'constraint', 'internal', 'timeout']

/** What the last attempt needed: the next one asks for it, and holds it, from the beginning. */
interface Needs {
  written: ReadonlySet<ClassModel>
  predicted: readonly Missing[]
  /** It wrote nothing, and others changed what it read: a snapshot cannot be disturbed. */
  isSnapshot: boolean
}

const isDisturbance = (failure: DatabaseFailure): failure is ConflictReason =>
  failure === 'conflict' ||
  failure === 'unique' ||
  failure === 'constraint' ||
  failure === 'unavailable'

/** The entities of the database that commits write. */
function writtenBy(commits: readonly WorkingCommit[]): Omit<Needs, 'isSnapshot'> {
  const known = commits
    .flatMap(({ changes }) => changes)
    .filter(({ record }) => record !== null)
    .map(({ dataClass, key }): Missing & { kind: 'entity' } => ({ kind: 'entity', dataClass, key }))
  return { written: new Set(known.map(({ dataClass }) => dataClass)), predicted: known }
}

/**
 * Decides writes, functions and reads without SQL by core's own rules, on the entities that they
 * turn out to need. A decision that another transaction disturbed is made again.
 */
export class SqlDecider {
  readonly #options: SqlDeciderOptions
  readonly #storing: Storing
  readonly #entities: EntityFacts
  /** Decisions of callers that are not committed yet. */
  #underWay = 0

  constructor(options: SqlDeciderOptions) {
    this.#options = options
    const outcomes = new CommitOutcomes(options, options.model.schema)
    this.#storing = { outcomes, groups: new CommitGroups(options) }
    this.#entities = new EntityFacts(options)
  }

  /**
   * Decides and commits. Throws what the body throws, `transactionConflict`, `engineUnavailable`,
   * `commitOutcomeUnknown`, and `budgetExceeded` for a statement that takes too long. After-hooks
   * that outlast the time of the request go on without it.
   */
  async write<R>(decided: Decided<R>): Promise<Concluded<R>> {
    const { working: stores } = this.#options
    const time = decided.time ?? this.#newTime()
    const working = stores.take()
    this.#underWay++
    const committing = this.#untilCommitted({ ...decided, time }, working).finally(() => {
      this.#underWay--
    })
    // The transaction's connection is free again: hooks decide in transactions of their own.
    const ending = committing.then(async ({ decision }) => {
      for (const hook of decision.afterHooks) await this.#runHook(decided, hook, working)
    })
    const release = (): void => stores.give(working)
    void ending.then(release, release)
    try {
      const { decision, globalStamp } = await time.within(committing)
      if (decision.afterHooks.length > 0) await time.cut(ending).catch(ignore)
      if (decision.kind === 'thrown') throw decision.error
      return { value: decision.value, globalStamp }
    } catch (error) {
      throw publicError(error)
    } finally {
      if (decided.time === undefined) time.end()
    }
  }

  /**
   * Decides in a snapshot of the database. What the body writes is dropped. Throws what the body
   * throws, and `DatabaseError`.
   */
  async read<R>(decided: Omit<Decided<R>, 'session'>): Promise<Concluded<R>> {
    const { working: stores } = this.#options
    const working = stores.take()
    try {
      return await decideRead(this.#options, this.#entities, decided, working)
    } finally {
      stores.give(working)
    }
  }

  /** Decides until no other transaction is in the way, and commits. */
  async #untilCommitted<R>(decided: Timed<R>, working: WorkingStore): Promise<Committed<R>> {
    const needs: Needs = {
      written: decided.written ?? new Set(),
      predicted: decided.predicted,
      isSnapshot: decided.wantsToWrite !== undefined,
    }
    let constraints = 0
    let losses = 0
    const { maxAttempts = MAX_ATTEMPTS, time } = decided
    const { model, recent } = this.#options
    const wanted: Missing[] = []
    const storing = this.#storing
    // Reading first costs more than fetching and holding, unless others share the commit.
    const readsNothing = this.#underWay === 1 && decided.attempt === 'read'
    const attempted = readsNothing ? { ...decided, attempt: 'known' as const } : decided
    // What is known is taken for an attempt, which a request without time does not make.
    const knowledge = time.isOver ? null : knownFacts(model, recent, attempted)
    for (let attempt = knowledge === null ? 1 : 0; ; attempt++) {
      try {
        decided.time.check()
        const committed =
          attempt === 0
            ? await decideOptimistically(
                this.#options,
                decided,
                working,
                knowledge!,
                storing,
                wanted,
              )
            : await this.#transaction(decided, working, needs, attempt >= FIRST_ALONE)
        if (committed === null) {
          needs.predicted = [...needs.predicted, ...wanted]
          continue
        }
        if (committed.decision.commits.length > 0) this.#options.onCommit(committed.globalStamp)
        return committed
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error
        const { failure, sqlState } = error
        if (isDisturbance(failure)) this.#options.figures.conflicts.count(failure)
        const isMissing = sqlState === FOREIGN_KEY && attempt < FIRST_ALONE
        const isConflict = failure === 'conflict' || failure === 'unique' || isMissing
        if (failure === 'constraint' && !isMissing) constraints += 1
        const isLost = isLostConnection(error) && !decided.time.isOver
        if (isLost) losses += 1
        const isAgain =
          isConflict ||
          (failure === 'constraint' && constraints <= MAX_CONSTRAINTS) ||
          (isLost && losses <= MAX_LOSSES)
        if (isAgain && attempt < maxAttempts) {
          working.empty()
          // Both sides of a conflict try again: not at the same time.
          if (attempt > 0)
            await this.#options.wait(attempt * (1 + MAX_JITTER * this.#options.random()))
          continue
        }
        // By now the connection is free: the pool may have no other.
        const mayBeMigrated = !isMissing && OF_MIGRATIONS.includes(failure)
        const explained = mayBeMigrated ? await this.#options.version.explained(error) : error
        if (isConflict && explained === error)
          throw engineError('transactionConflict', {
            attempts: attempt,
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          })
        throw publicError(explained)
      }
    }
  }

  /**
   * Decides on one connection and commits. Throws a `DatabaseError` only if nothing was stored, and
   * `commitOutcomeUnknown` if the database does not answer what became of a commit.
   */
  async #transaction<R>(
    asked: Timed<R>,
    working: WorkingStore,
    needs: Needs,
    isAlone: boolean,
  ): Promise<Committed<R>> {
    const { pool, figures, recent } = this.#options
    figures.attempts++
    return this.#storing.outcomes.settled(asked.time, async (begin) => {
      const lease = new Lease(pool)
      const { written, isSnapshot } = needs
      const mode: DecidingMode = { written, isSnapshot, isAlone: isAlone && !isSnapshot }
      const asking = { ...asked, predicted: needs.predicted }
      const deciding = new Deciding(this.#options, asking, lease, working, mode)
      let decision: Decision<R> | null = null
      const keep = (globalStamp: number, commits: Decision<R>['commits']): void => {
        // Those of another epoch may be other entities.
        if (epochOf(globalStamp) === recent.epoch) keepRows(recent, deciding.entities, commits)
      }
      try {
        decision = await deciding.decide()
        if (decision.commits.length === 0) {
          needs.isSnapshot = true
          const globalStamp = await deciding.conclude(decision)
          keep(globalStamp, [])
          return { decision, globalStamp }
        }
        needs.isSnapshot = false
        // Another moment than that of an attempt which wrote nothing: now it holds what it reads.
        if (deciding.isSnapshot) throw new DatabaseError('conflict', null)
        const globalStamp = await deciding.commit(decision, begin(decision))
        keep(globalStamp, decision.commits)
        return { decision, globalStamp }
      } catch (error) {
        const also = writtenBy(decision?.commits ?? [])
        needs.written = new Set([...written, ...also.written])
        needs.predicted = [...deciding.asked, ...also.predicted]
        throw error
      } finally {
        await lease.giveBack()
      }
    })
  }

  /**
   * Runs an after-hook and commits its writes. Errors of the hook do not undo the commit before it.
   * The hook runs again if it reads entities that are not loaded.
   */
  async #runHook(
    { session }: Pick<Decided<unknown>, 'session'>,
    hook: PendingAfterHook,
    working: WorkingStore,
  ): Promise<void> {
    const time = this.#newTime()
    const decided = { name: hook.kind, session, predicted: [], body: () => hook.run(), time }
    try {
      // What was known before the commit is no longer so.
      working.empty()
      const { decision } = await this.#untilCommitted(decided, working)
      for (const further of decision.afterHooks) await this.#runHook(decided, further, working)
      if (decision.kind === 'thrown') throw decision.error
    } catch (error) {
      this.#options.onError(error)
    } finally {
      time.end()
    }
  }

  #newTime(): RequestTime {
    const { after, maxMilliseconds } = this.#options
    return new RequestTime(after, maxMilliseconds)
  }
}

function ignore(): void {}
