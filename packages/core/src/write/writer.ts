import { overBudget } from '../errors.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { History, type PastRecord } from '../storage/history.ts'
import { layoutsOf, type Table } from '../storage/table.ts'
import { DirectTarget, type SingleWritePort, SingleWrites } from './direct-write.ts'
import { HookRunner, type PendingHook } from './hooks.ts'
import { AfterCommit, Listeners } from './listeners.ts'
import { WriteContext, type WriterPort } from './port.ts'
import { OF_LANGUAGE, type RecordView, type StagedView, StageSet } from './stage-set.ts'
import { Transaction } from './transaction.ts'
import { runBody, storeError } from './write-errors.ts'
import { StoreState } from './write-plan.ts'

/**
 * The one writer of a store: owns its tables, history, counters and the open transaction. Every
 * call is synchronous. Outside of a transaction each write is a transaction of its own.
 */
export class Writer extends StoreState implements SingleWritePort {
  /** By `ClassModel.ordinal`. */
  readonly tables: readonly Table[]
  readonly tableOf = ({ ordinal }: ClassModel): Table => this.tables[ordinal]
  /** It is the present that is read here. */
  readonly asOf = null
  readonly history: History
  readonly listeners = new Listeners(() => this.globalStamp)
  /**
   * Called with each commit before hooks and listeners, while the columns hold its results. Must
   * not throw.
   */
  journal: ((list: ChangeList) => void) | null = null
  /** Called before each commit, while the columns hold its results. What it throws refuses it. */
  beforeCommit: (() => void) | null = null
  /** True while code of the application runs that must only read: every commit is refused. */
  mustRead = false
  readonly context: WriteContext
  readonly #hooks = new HookRunner()
  readonly stages: StageSet
  /** Checks single writes against the columns, and writes them. */
  readonly direct: DirectTarget
  /** Inserts, updates and removals of one entity. */
  readonly single: SingleWrites
  readonly afterCommit: AfterCommit
  globalStamp = 0
  /** True if global stamps stand for commits that are not in the history. */
  hasSkipped = false
  /** The open transaction, or null. */
  current: Transaction | null = null

  constructor(
    catalog: Catalog,
    port: WriterPort,
    limits: { readonly commits: number; readonly bytes: number },
  ) {
    super(catalog.name)
    this.tables = catalog.classes.map(port.createTable)
    this.context = new WriteContext(port)
    this.history = new History(this.globalStamp, limits)
    this.stages = new StageSet(this.tables, this.context, port.mayDangle)
    this.direct = new DirectTarget(this.stages, this.context, this.#hooks, this.nextStamp)
    this.single = new SingleWrites(this.direct, this)
    this.afterCommit = new AfterCommit(this.tables, this.context, this.#hooks, this.listeners)
  }

  /** The birth of the newest record. */
  get allocationClock(): number {
    return this.context.births
  }

  /**
   * As `guard`, for a call that is not allowed inside a transaction. Also throws
   * `notInTransaction`.
   */
  outside(operation: string): void {
    this.guard()
    this.#refuseInside(operation)
  }

  /**
   * Call before every query: it writes the staged changes of the open transaction to columns and
   * indexes.
   */
  enter(): void {
    this.guard()
    this.current?.apply()
  }
  isOpen(): boolean {
    this.guard()
    return this.current !== null
  }
  get isProvisional(): boolean {
    return this.current !== null && this.current.recorder.changes.length > 0
  }
  /** See `StageSet`. */
  get mayDangle(): boolean {
    return this.stages.mayDangle
  }
  get layouts(): number {
    return layoutsOf(this.tables)
  }
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> {
    return this.history.pastOf(table, globalStamp, this.current?.recorder.changes)
  }
  changedSlots(table: Table, globalStamp: number): readonly number[] | null {
    return this.history.changedSlots(table, globalStamp)
  }

  /** The record with a key, as the open transaction sees it, or -1. */
  find(table: Table, key: unknown): number {
    this.guard()
    return this.stages.of(table).locate(key)
  }

  /** The record with a stored key, as the open transaction sees it, or -1. */
  locate(table: Table, key: string | number): number {
    return this.stages.of(table).locate(key)
  }
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.transact((transaction) => transaction.removeAll(table, keys))
  }

  /** The values that the open transaction has staged of a living record; null if there are none. */
  staged(table: Table, slot: number): StagedView | null {
    return this.current === null ? null : this.stages.staged(table, slot)
  }

  /**
   * The result of a save, without storing it; of a new entity if `key` is null. Not allowed inside
   * a transaction.
   */
  preview(table: Table, key: unknown, input: unknown): RecordView {
    this.outside('preview')
    const given = this.single.read(table, input, key !== null)
    this.guard()
    const transaction = this.#begin()
    try {
      const slot =
        key === null ? transaction.insert(table, given) : transaction.update(table, key, given)
      return this.stages.view(table, slot)
    } finally {
      this.#abort(transaction, null)
    }
  }

  /**
   * Runs `body` as one transaction: commits when it returns, rolls back when it throws. Inside
   * another transaction it is part of that one. Throws `promiseReturned` when `body` returns a
   * promise.
   */
  transact<R>(body: (transaction: Transaction) => R): R {
    this.guard()
    if (this.current !== null) return this.#join(this.current, body)
    const transaction = this.#begin()
    let result: R
    try {
      result = runBody(transaction, body)
    } catch (error) {
      throw this.#abort(transaction, error)
    }
    this.#commit(transaction)
    return result
  }

  /** Begins a transaction that stays open. One that `hasFailed` can only be rolled back. */
  open() {
    this.outside('open')
    const transaction = this.#begin()
    return {
      hasFailed: () => transaction.hasFailed,
      commit: () => this.#commit(transaction),
      rollback: () => void this.#abort(transaction, null),
    }
  }

  /**
   * Replaces all data: `fill` fills the tables and returns their global stamp. The global stamp of
   * the store still grows. History is cleared. If `fill` throws, the store refuses all further
   * calls.
   */
  replace(fill: (tables: readonly Table[], nextBirth: () => number) => number): void {
    this.outside('replace')
    const before = this.globalStamp
    const tell = this.afterCommit.observer?.beforeReplace()
    try {
      const filled = fill(this.tables, this.context.nextBirth)
      this.globalStamp = before === 0 ? filled : Math.max(before + 1, filled)
    } catch (error) {
      throw this.broke(error)
    }
    this.history.restart(this.globalStamp)
    tell?.()
  }

  /** Continues at a global stamp, without history; for a store that holds a part of its data. */
  startAt(globalStamp: number): void {
    this.outside('startAt')
    this.globalStamp = globalStamp
    this.history.restart(globalStamp)
  }

  /** Goes on behind commits of another store that changed nothing here. */
  skipTo(globalStamp: number): void {
    this.outside('skipTo')
    this.hasSkipped ||= globalStamp > this.globalStamp
    this.globalStamp = globalStamp
  }

  override close(): void {
    this.#refuseInside('close')
    super.close()
    this.afterCommit.close()
  }

  #begin(): Transaction {
    return (this.current = new Transaction(this.stages, this.context, this.#hooks))
  }

  #join<R>(outer: Transaction, body: (transaction: Transaction) => R): R {
    const { version } = outer.stages
    try {
      return runBody(outer, body)
    } catch (error) {
      // The outer body may continue, but must not commit a part of this one.
      if (outer.stages.version !== version) outer.fail(error)
      throw error
    }
  }

  #commit(transaction: Transaction): void {
    let list: ChangeList | null
    try {
      list = transaction.commit(this.nextStamp)
    } catch (error) {
      throw this.#abort(transaction, error)
    }
    this.current = null
    if (list !== null) this.conclude(list, transaction.writer.after.take())
  }

  /** Rolls a transaction back and returns its error. */
  #abort(transaction: Transaction, error: unknown): unknown {
    this.current = null
    return this.takeBack(error, () => transaction.rollback())
  }

  /**
   * Runs a rollback, by default that of the direct write, and returns the error of the write. If
   * the rollback fails, the store refuses all further calls.
   */
  takeBack(error: unknown, rollback = (): void => this.direct.takeBack()): unknown {
    try {
      rollback()
    } catch (failure) {
      this.broke(failure)
    }
    return error
  }

  /** Runs after a commit is written. */
  conclude(list: ChangeList, hooks?: readonly PendingHook[]): void {
    // From here on only the history keeps the list.
    this.direct.list = null
    this.globalStamp = list.globalStamp
    this.history.push(list)
    this.journal?.(list)
    this.afterCommit.run(list, hooks)
  }

  /**
   * The global stamp of the next commit. Throws `notInTransaction`, `budgetExceeded` beyond the
   * last one that a dump can hold, and as `beforeCommit`.
   */
  readonly nextStamp = (): number => {
    if (this.mustRead)
      throw storeError('notInTransaction', {
        operation: 'A change by a getter that a live query runs',
        remedy: 'Change the store in a listener.',
      })
    this.beforeCommit?.()
    if (this.globalStamp < Number.MAX_SAFE_INTEGER) return this.globalStamp + 1
    throw overBudget('commits of one store', Number.MAX_SAFE_INTEGER, OF_LANGUAGE)
  }

  #refuseInside(operation: string): void {
    if (this.current === null) return
    throw storeError('notInTransaction', {
      operation,
      remedy: 'Call it before or after the transaction.',
    })
  }
}
