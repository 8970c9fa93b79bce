import type { ClassModel } from '../model/catalog.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import { forgetLongWords, tidyTable } from '../storage/tidy-table.ts'
import type { PendingHook } from '../transaction/after-hooks.ts'
import { type HookRunner, hookContext } from '../transaction/hooks.ts'
import type { TransactionPort } from '../transaction/port.ts'
import type { Listeners, Report } from './listeners.ts'
import { recordChanges } from './record-changes.ts'

/** A table is tidied after so many changes, plus a quarter of its entities. */
const TIDY_AFTER_CHANGES = 1024
/** All tables drop long dead words after so many bytes of replaced values. */
const DROP_WORDS_AFTER_BYTES = 1 << 20
const NO_HOOKS: readonly PendingHook[] = []
const NO_REPORTS: readonly Report[] = []

/**
 * Examines each commit while the columns hold its results, as live queries do. No member may throw.
 */
export interface CommitObserver {
  /** False while there is nothing to examine: commits then cost nothing here. */
  readonly isActive: boolean
  /** Returns the reports of the newest commit. */
  examine(list: ChangeList): readonly Report[]
  /** Called before all data is replaced. Call what it returns when that is done. */
  beforeReplace(): () => void
  /** Reports nothing from now on. */
  clear(): void
}

/** One after-hook of a commit. */
export interface HookCall {
  readonly dataClass: ClassModel
  readonly kind: PendingHook['kind']
  /** Throws what the hook throws. */
  run(): void
}

/** Runs after each commit and cannot undo it: housekeeping, after-hooks, listeners. */
export class AfterCommit {
  readonly #port: TransactionPort
  readonly #hooks: HookRunner
  readonly #listeners: Listeners
  /** Live queries, if the store has them. */
  observer: CommitObserver | null = null
  /** Takes the after-hooks of each commit instead of running them. */
  defer: ((calls: readonly HookCall[]) => void) | null = null
  /** Changes since a table was last tidied, by `ClassModel.ordinal`. */
  readonly #untidied: number[]
  readonly #tables: readonly Table[]
  #replacedBytes = 0

  constructor(
    tables: readonly Table[],
    port: TransactionPort,
    hooks: HookRunner,
    listeners: Listeners,
  ) {
    this.#port = port
    this.#hooks = hooks
    this.#listeners = listeners
    this.#tables = tables
    this.#untidied = tables.map(() => 0)
  }

  run(list: ChangeList, hooks: readonly PendingHook[] = NO_HOOKS): void {
    const measured = this.#port.watch?.end(list) ?? null
    this.#tidy(list)
    // Hooks may write: the reports are created, and queued, before they run.
    if (measured !== null || this.isObserved) {
      const queued = this.#listeners.enqueue()
      const reports = this.observer?.examine(list) ?? NO_REPORTS
      const notice = this.#listeners.hasCommitListeners
        ? Object.freeze({
            globalStamp: list.globalStamp,
            changes: Object.freeze(recordChanges([list])),
          })
        : null
      queued.fill(
        notice,
        measured === null ? reports : [{ deliver: measured, postpone: measured }, ...reports],
      )
    }
    if (hooks.length > 0) this.#listeners.hold(() => this.#runHooks(hooks))
    this.#listeners.deliver()
  }

  get isObserved(): boolean {
    return this.#listeners.hasCommitListeners || this.observer?.isActive === true
  }

  /** Reports nothing from now on. */
  close(): void {
    this.#listeners.clear()
    this.observer?.clear()
  }

  /** Tidies a table after a good part of it changed, so that the cost is amortised. */
  #tidy({ changes, bytes }: ChangeList): void {
    this.#replacedBytes += bytes
    if (this.#replacedBytes > DROP_WORDS_AFTER_BYTES) {
      this.#replacedBytes = 0
      for (const table of this.#tables) forgetLongWords(table)
    }
    for (let i = 0; i < changes.length; i++) {
      const change = changes[i]
      const { table } = change
      const { ordinal } = table.model
      this.#untidied[ordinal] += change.kind === 'load' ? change.slots.length : 1
      if (this.#untidied[ordinal] <= TIDY_AFTER_CHANGES + (table.liveCount >> 2)) continue
      this.#untidied[ordinal] = 0
      tidyTable(table)
    }
  }

  #runHooks(hooks: readonly PendingHook[]): void {
    const calls: HookCall[] = []
    // A hook may write: all entities are created before the first hook runs.
    for (const hook of hooks) {
      const { table, slot, birth } = hook.record
      if (hook.kind === 'afterRemove') calls.push(this.#callOf(hook, hook.before as object))
      else if (table.isLive(slot) && table.births[slot] === birth) {
        const entity = this.#port.entityOf(
          table,
          table.readAll(slot),
          table.stamps[slot],
          table.timestamps[slot],
        )
        calls.push(this.#callOf(hook, entity))
      }
    }
    if (this.defer !== null) {
      this.defer(calls)
      return
    }
    for (const call of calls) {
      try {
        call.run()
      } catch (error) {
        this.#listeners.report(error)
      }
    }
  }

  /** The context has the session of the commit. */
  #callOf({ kind, record, before }: PendingHook, entity: object): HookCall {
    const { model } = record.table
    const context = hookContext(this.#port, kind === 'afterSave' ? before : null)
    return {
      dataClass: model,
      kind,
      run: () =>
        void this.#hooks.run(model, kind, () =>
          model.hooks[kind]?.(entity as never, context as never),
        ),
    }
  }
}
