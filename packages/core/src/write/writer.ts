import { EntiaError } from '../errors.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { History, type PastRecord } from '../storage/history.ts'
import { layoutsOf } from '../storage/layouts.ts'
import { storedKey } from '../storage/stored-key.ts'
import { Table } from '../storage/table.ts'
import type { PendingHook } from '../transaction/after-hooks.ts'
import { DirectTarget } from '../transaction/direct-write.ts'
import { HookRunner } from '../transaction/hooks.ts'
import { type RecordView, type StagedView, StageSet } from '../transaction/stage-set.ts'
import { Transaction } from '../transaction/transaction.ts'
import { refusePromise } from '../transaction/user-code.ts'
import { AfterCommit, type CommitObserver } from './after-commit.ts'
import { Listeners } from './listeners.ts'
import { type SingleWritePort, SingleWrites } from './single-writes.ts'
import { storeError } from './store-errors.ts'
import { StoreState } from './store-state.ts'
import { WriteContext, type WriterPort } from './write-context.ts'

/**
 * The one writer of a store: owns its tables, history, counters and the transaction that is open. Every call is
 * synchronous; outside of a transaction a write is a transaction of its own.
 */
export class Writer implements SingleWritePort {
  /** By `ClassModel.ordinal`. */
  readonly tables: readonly Table[]
  readonly tableOf = ({ ordinal }: ClassModel): Table => this.tables[ordinal]
  /** It is the present that is read here. */
  readonly asOf = null
  readonly history: History
  readonly listeners = new Listeners(() => this.#globalStamp)
  /** Told of each commit before hooks and listeners are, while columns hold what it left behind. It must not throw. */
  journal: ((list: ChangeList) => void) | null = null
  readonly context: WriteContext
  readonly #hooks = new HookRunner()
  readonly stages: StageSet
  /** Checks single writes against the columns, and writes them. */
  readonly direct: DirectTarget
  /** Inserts, updates and removals of one entity. */
  readonly single: SingleWrites
  readonly #afterCommit: AfterCommit
  #globalStamp = 0
  #current: Transaction | null = null
  readonly #state: StoreState

  constructor(catalog: Catalog, port: WriterPort, limits: { readonly commits: number; readonly bytes: number }) {
    this.#state = new StoreState(catalog.name)
    this.tables = catalog.classes.map((model) => new Table(model))
    this.context = new WriteContext(port)
    this.history = new History(this.#globalStamp, limits)
    this.stages = new StageSet(this.tables, this.context)
    this.direct = new DirectTarget(this.stages, this.context, this.#hooks, () => this.nextStamp())
    this.single = new SingleWrites(this.direct, this)
    this.#afterCommit = new AfterCommit(this.tables, this.context, this.#hooks, this.listeners)
  }

  get globalStamp(): number {
    return this.#globalStamp
  }

  /** The last number given at a birth. */
  get allocationClock(): number {
    return this.context.births
  }

  /** The transaction that is open, or null. */
  get current(): Transaction | null {
    return this.#current
  }

  /** Throws `storeClosed` or `storeBroken`. Every call of the store begins with it. */
  guard(): void {
    this.#state.guard()
  }

  /** Guards a call that has no place inside a transaction. Throws `notInTransaction` too. */
  outside(operation: string): void {
    this.guard()
    this.#refuseInside(operation)
  }

  /** Asks `locks` before every change of a record from now on. */
  askLocks(locks: WriterPort['locks']): void {
    this.context.locks = locks
  }

  /** Lets an observer examine every commit from now on. */
  observe(observer: CommitObserver): void {
    this.#afterCommit.observer = observer
  }

  /** True when a save of the dataclass is heard by listeners or after-hooks, which may write in their turn. */
  isHeard({ model }: Table): boolean {
    return this.#afterCommit.isHeard || model.hooks.afterSave !== undefined
  }

  /** Called before every query: columns and indexes then hold what the open transaction has staged. */
  enter(): void {
    this.guard()
    this.#current?.apply()
  }
  isOpen(): boolean {
    this.guard()
    return this.#current !== null
  }
  get isProvisional(): boolean {
    return this.#current !== null && this.#current.applied.changes.length > 0
  }
  get layouts(): number {
    return layoutsOf(this.tables)
  }
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> {
    return this.history.pastOf(table, globalStamp, this.#current?.applied.changes)
  }
  changedSlots(table: Table, globalStamp: number): readonly number[] | null {
    return this.history.changedSlots(table, globalStamp)
  }

  /** The record of a key, as the open transaction sees it, or -1. */
  find(table: Table, key: unknown): number {
    this.guard()
    return this.#current === null ? table.findKey(storedKey(table.model, key)) : this.#current.find(table, key)
  }

  /** The record of a stored key, as the open transaction sees it, or -1. */
  locate(table: Table, key: string | number): number {
    return this.#current === null ? table.findKey(key) : this.#current.find(table, key)
  }
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    return this.transact((transaction) => {
      let removed = 0
      for (const key of keys) {
        // An earlier removal may have taken it along.
        if (transaction.find(table, key) < 0) continue
        transaction.remove(table, key)
        removed++
      }
      return removed
    })
  }

  /** What the open transaction has staged of a living record; null when columns hold it as it is. */
  staged(table: Table, slot: number): StagedView | null {
    return this.#current === null ? null : this.#current.staged(table, slot)
  }

  /** What a save would give, of a new entity when `key` is null. Stores nothing; no place inside a transaction. */
  preview(table: Table, key: unknown, input: unknown): RecordView {
    this.outside('preview')
    const given = key === null ? this.single.read(table, input) : this.single.readEdit(table, input)
    this.guard()
    const transaction = this.#begin()
    try {
      const slot = key === null ? transaction.insert(table, given) : transaction.update(table, key, given)
      return transaction.view(table, slot)
    } finally {
      this.#abort(transaction, null)
    }
  }

  /**
   * Runs `body` as one transaction: commits when it returns, takes everything back when it throws. Inside another one it
   * is part of that. Throws `promiseReturned` when `body` returns a promise.
   */
  transact<R>(body: (transaction: Transaction) => R): R {
    this.guard()
    if (this.#current !== null) return this.#join(this.#current, body)
    const transaction = this.#begin()
    let result: R
    try {
      result = body(transaction)
      refusePromise(result, 'The body of a transaction', 'Await before the transaction, not inside it.')
    } catch (error) {
      throw this.#abort(transaction, error)
    }
    this.#commit(transaction)
    return result
  }

  /** Runs `body` with the session that hooks are told of. */
  as<R>(session: unknown, body: () => R): R {
    return this.context.as(session, body)
  }

  get session(): unknown {
    return this.context.session
  }

  /**
   * Replaces all data by what `fill` makes of the tables; it answers their global stamp, which goes on from that of before where that is
   * higher. History begins anew. When `fill` throws, the store refuses every further call.
   */
  replace(fill: (tables: readonly Table[], nextBirth: () => number) => number): void {
    this.outside('replace')
    const before = this.#globalStamp
    const tell = this.#afterCommit.observer?.beforeReplace()
    try {
      const filled = fill(this.tables, this.context.nextBirth)
      this.#globalStamp = before === 0 ? filled : Math.max(before + 1, filled)
    } catch (error) {
      throw this.#state.broke(error)
    }
    this.history.restart(this.#globalStamp)
    tell?.()
  }

  close(): void {
    this.#refuseInside('close')
    this.#state.close()
    this.#afterCommit.close()
  }

  #begin(): Transaction {
    return (this.#current = new Transaction(this.stages, this.context, this.#hooks))
  }

  #join<R>(outer: Transaction, body: (transaction: Transaction) => R): R {
    const { version } = outer
    try {
      const result = body(outer)
      refusePromise(result, 'The body of a transaction', 'Await before the transaction, not inside it.')
      return result
    } catch (error) {
      // The outer body may go on, but not commit half of this one.
      if (outer.version !== version) outer.fail(error)
      throw error
    }
  }

  #commit(transaction: Transaction): void {
    let list: ChangeList | null
    try {
      list = transaction.commit(() => this.nextStamp())
    } catch (error) {
      throw this.#abort(transaction, error)
    }
    this.#current = null
    if (list !== null) this.conclude(list, transaction.takeAfterHooks())
  }

  /** Takes a transaction back and returns the error that it failed with. */
  #abort(transaction: Transaction, error: unknown): unknown {
    this.#current = null
    return this.takeBack(error, () => transaction.rollback())
  }

  /** Takes back what a direct write wrote, unless told otherwise, and returns the error that it failed with. */
  takeBack(error: unknown, rollback = (): void => this.direct.takeBack()): unknown {
    this.rollback(rollback)
    return error
  }

  /** Runs what takes changes back. Where it fails, the store refuses every further call. */
  rollback(rollback: () => void): void {
    try {
      rollback()
    } catch (error) {
      this.#state.broke(error)
    }
  }

  /** What follows once a commit is written. */
  conclude(list: ChangeList, hooks?: readonly PendingHook[]): void {
    // From here on the history keeps it, or nothing does.
    this.direct.list = null
    this.#globalStamp = list.globalStamp
    this.history.push(list)
    this.journal?.(list)
    this.#afterCommit.run(list, hooks)
  }

  /** The global stamp of the next commit. Throws `budgetExceeded` where there is none that a dump could hold. */
  nextStamp(): number {
    if (this.#globalStamp < Number.MAX_SAFE_INTEGER) return this.#globalStamp + 1
    const what = 'commits of one store'
    throw new EntiaError('budgetExceeded', {
      what,
      limit: Number.MAX_SAFE_INTEGER,
      option: 'none: a limit of the language',
    })
  }

  #refuseInside(operation: string): void {
    if (this.#current === null) return
    throw storeError('notInTransaction', { operation, remedy: 'Call it before or after the transaction.' })
  }
}
