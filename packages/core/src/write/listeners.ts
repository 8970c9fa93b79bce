import { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { CommitNotice } from '../model/store-types.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import { forgetLongWords, tidyTable } from '../storage/table-load.ts'
import { type HookRunner, hookContext, MAX_HOOK_DEPTH, type PendingHook } from './hooks.ts'
import type { WriteContext } from './port.ts'
import { recordChanges } from './record-changes.ts'

export type CommitListener = (commit: CommitNotice) => void
export type ErrorListener = (error: unknown) => void

/** A report of a commit, other than to commit listeners. */
export interface Report {
  /** Errors that it throws, and rejections of promises that it returns, go to error listeners. */
  deliver(): unknown
  /** It cannot be delivered now, and becomes part of the next report. */
  postpone(): void
}

/**
 * The listeners of commits, and of errors that reach no caller (those of listeners and
 * after-hooks). Notices are delivered one after the other in the order of commits, also if a
 * listener or an after-hook commits: the notices of such commits are queued. A chain of commits by
 * listeners ends at a fixed depth.
 */
export class Listeners {
  readonly commit = new Set<{
    readonly listener: CommitListener
    readonly since: number
    readonly readsChanges: boolean
  }>()
  readonly #error = new Set<{ readonly listener: ErrorListener }>()
  /** In the order of commits. */
  #queue: QueuedNotice[] = []
  /** Depth of the notice that is being delivered; 0 when none is. */
  #depth = 0
  /** How many `hold` calls are running, one within the other. */
  #held = 0
  readonly #globalStamp: () => number

  /** `globalStamp` returns the current global stamp. */
  constructor(globalStamp: () => number) {
    this.#globalStamp = globalStamp
  }

  /**
   * Adds a listener for the commits from now on, and returns a function that removes it. The same
   * function may be added more than once. Listing the changes of a large commit takes long: a
   * listener that does not read them may get an empty list.
   */
  onCommit(listener: CommitListener, readsChanges = true): () => void {
    const entry = { listener, since: this.#globalStamp(), readsChanges }
    this.commit.add(entry)
    return () => void this.commit.delete(entry)
  }

  /** Whether a listener reads the changes of commits. */
  get readsChanges(): boolean {
    for (const { readsChanges } of this.commit) if (readsChanges) return true
    return false
  }

  onError(listener: ErrorListener): () => void {
    const entry = { listener }
    this.#error.add(entry)
    return () => void this.#error.delete(entry)
  }

  /** Queues the notice of the newest commit, which `deliver` delivers once it is filled. */
  enqueue(): QueuedNotice {
    const queued = { depth: this.#depth + 1, notice: null, reports: null }
    this.#queue.push(queued)
    return queued
  }

  /** Runs code that may commit. Notices wait until the outermost call ends. */
  hold(body: () => void): void {
    this.#held++
    try {
      body()
    } finally {
      this.#held--
    }
  }

  /** Delivers the queued notices, unless an outer call is delivering them. */
  deliver(): void {
    if (this.#queue.length === 0 || this.#depth > 0 || this.#held > 0) return
    try {
      // An outer call fills the others, and delivers what follows them.
      for (let next = this.#queue[0]; next?.reports; next = this.#queue[0]) {
        this.#queue.shift()
        if (next.depth > MAX_HOOK_DEPTH) {
          for (const report of next.reports) report.postpone()
          this.report(
            new EntiaError('hookTooDeep', {
              dataClass: '*',
              hook: 'commit listener',
              limit: MAX_HOOK_DEPTH,
            }),
          )
          continue
        }
        this.#depth = next.depth
        if (next.notice !== null) this.#notify(next.notice)
        for (const report of next.reports) this.#call(() => report.deliver())
      }
    } finally {
      this.#depth = 0
    }
  }

  /** Passes an error to the error listeners. Errors of error listeners are ignored. */
  report(error: unknown): void {
    for (const { listener } of [...this.#error]) {
      try {
        listener(error)
      } catch {
        // No listener is left to report it to.
      }
    }
  }

  clear(): void {
    this.commit.clear()
    this.#error.clear()
    this.#queue = []
  }

  #notify(notice: CommitNotice): void {
    for (const entry of [...this.commit]) {
      // An earlier listener may have removed this one.
      if (!this.commit.has(entry)) continue
      // A listener that was added after the commit does not get its notice.
      if (notice.globalStamp <= entry.since) continue
      this.#call(() => entry.listener(notice))
    }
  }

  #call(listener: () => unknown): void {
    try {
      const result = listener()
      if (result instanceof Promise) result.catch((error: unknown) => this.report(error))
    } catch (error) {
      this.report(error)
    }
  }
}

/** The reports of one commit, and its depth in a chain of commits by listeners. */
interface QueuedNotice {
  readonly depth: number
  /** Null where there are no commit listeners. */
  notice: CommitNotice | null
  /** Null until the commit is examined. */
  reports: readonly Report[] | null
}

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
  readonly #port: WriteContext
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
    port: WriteContext,
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
    const { watch } = this.#port
    const measured = watch === undefined || watch.watcher === null ? null : watch.end(list)
    this.#tidy(list)
    // Hooks may write: the reports are created, and queued, before they run.
    const observer = this.observer?.isActive === true ? this.observer : null
    if (measured !== null || observer !== null || this.#listeners.commit.size > 0) {
      const queued = this.#listeners.enqueue()
      if (this.#listeners.commit.size > 0)
        queued.notice = Object.freeze({
          globalStamp: list.globalStamp,
          changes: Object.freeze(this.#listeners.readsChanges ? recordChanges([list]) : []),
        })
      const reports = observer?.examine(list) ?? NO_REPORTS
      queued.reports =
        measured === null ? reports : [{ deliver: measured, postpone: measured }, ...reports]
    } else if (hooks.length === 0) return
    if (hooks.length > 0) this.#listeners.hold(() => this.#runHooks(hooks))
    this.#listeners.deliver()
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
