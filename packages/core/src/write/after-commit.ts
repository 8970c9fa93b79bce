import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import type { PendingHook } from '../transaction/after-hooks.ts'
import { type HookRunner, hookContext } from '../transaction/hooks.ts'
import type { TransactionPort } from '../transaction/port.ts'
import type { Listeners, News } from './listeners.ts'
import { recordChanges } from './record-changes.ts'

/** Changes of a table that are let pass before it is tidied, beside a quarter of its entities. */
const TIDY_AFTER = 1024
/** Bytes of replaced values that are let pass before all tables are asked for long words that are dead. */
const FORGET_AFTER = 1 << 20
const NO_HOOKS: readonly PendingHook[] = []
const NO_NEWS: readonly News[] = []

/** What examines each commit while the columns hold its results, as live queries do. None of its members may throw. */
export interface CommitObserver {
  /** False when a commit concerns nothing here: it then costs nothing. */
  readonly isActive: boolean
  /** Returns what to report of a commit, the newest. */
  judge(list: ChangeList): readonly News[]
  /** Called before all data is replaced. Call what it returns when that is done. */
  beforeReplace(): () => void
  /** Reports nothing from now on. */
  clear(): void
}

/** What follows a commit and cannot undo it: housekeeping, after-hooks, listeners. */
export class AfterCommit {
  readonly #port: TransactionPort
  readonly #hooks: HookRunner
  readonly #listeners: Listeners
  /** Live queries, once there is one. */
  observer: CommitObserver | null = null
  /** Changes since a table was last tidied, by `ClassModel.ordinal`. */
  readonly #untidied: number[]
  readonly #tables: readonly Table[]
  #replacedBytes = 0

  constructor(tables: readonly Table[], port: TransactionPort, hooks: HookRunner, listeners: Listeners) {
    this.#port = port
    this.#hooks = hooks
    this.#listeners = listeners
    this.#tables = tables
    this.#untidied = tables.map(() => 0)
  }

  run(list: ChangeList, hooks: readonly PendingHook[] = NO_HOOKS): void {
    const measured = this.#port.watch?.end(list) ?? null
    this.#tidy(list)
    // The notices are made, and have their place among others, before hooks run: these may write.
    if (measured !== null || this.isHeard) {
      const place = this.#listeners.place()
      const news = this.observer?.judge(list) ?? NO_NEWS
      const notice = this.#listeners.hasCommitListeners
        ? Object.freeze({ globalStamp: list.globalStamp, changes: Object.freeze(recordChanges([list])) })
        : null
      place.fill(notice, measured === null ? news : [{ tell: measured, keep: measured }, ...news])
    }
    if (hooks.length > 0) this.#listeners.hold(() => this.#runHooks(hooks))
    this.#listeners.tell()
  }

  get isHeard(): boolean {
    return this.#listeners.hasCommitListeners || this.observer?.isActive === true
  }

  /** Nobody is told any more. */
  close(): void {
    this.#listeners.clear()
    this.observer?.clear()
  }

  /** A table is tidied when a good part of it changed, so that the cost is spread. */
  #tidy({ changes, bytes }: ChangeList): void {
    this.#replacedBytes += bytes
    if (this.#replacedBytes > FORGET_AFTER) {
      this.#replacedBytes = 0
      for (const table of this.#tables) table.forgetLongWords()
    }
    for (let i = 0; i < changes.length; i++) {
      const change = changes[i]
      const { table } = change
      const { ordinal } = table.model
      this.#untidied[ordinal] += change.kind === 'load' ? change.slots.length : 1
      if (this.#untidied[ordinal] <= TIDY_AFTER + (table.liveCount >> 2)) continue
      this.#untidied[ordinal] = 0
      table.tidy()
    }
  }

  #runHooks(hooks: readonly PendingHook[]): void {
    const calls: { readonly hook: PendingHook; readonly entity: object }[] = []
    // Entities are made first: a hook may write.
    for (const hook of hooks) {
      const { table, slot, birth } = hook.record
      if (hook.kind === 'afterRemove') calls.push({ hook, entity: hook.before as object })
      else if (table.isLive(slot) && table.births[slot] === birth) {
        const entity = this.#port.entityOf(table, table.readAll(slot), table.stamps[slot], table.timestamps[slot])
        calls.push({ hook, entity })
      }
    }
    for (const { hook, entity } of calls) {
      const { model } = hook.record.table
      const before = hook.kind === 'afterSave' ? hook.before : null
      const context = hookContext(this.#port, before)
      try {
        this.#hooks.run(model, hook.kind, () => model.hooks[hook.kind]?.(entity as never, context as never))
      } catch (error) {
        this.#listeners.report(error)
      }
    }
  }
}
