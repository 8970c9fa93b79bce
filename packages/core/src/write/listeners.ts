import { EntiaError } from '../errors.ts'
import type { CommitNotice } from '../model/store-types.ts'
import { MAX_HOOK_DEPTH } from '../transaction/hooks.ts'

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
  readonly #commit = new Set<{ readonly listener: CommitListener; readonly since: number }>()
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

  get hasCommitListeners(): boolean {
    return this.#commit.size > 0
  }

  /**
   * Adds a listener for the commits from now on, and returns a function that removes it. The same
   * function may be added more than once.
   */
  onCommit(listener: CommitListener): () => void {
    const entry = { listener, since: this.#globalStamp() }
    this.#commit.add(entry)
    return () => void this.#commit.delete(entry)
  }

  onError(listener: ErrorListener): () => void {
    const entry = { listener }
    this.#error.add(entry)
    return () => void this.#error.delete(entry)
  }

  /** Queues the notice of the newest commit, which `deliver` delivers once it is filled. */
  enqueue(): QueuedNotice {
    const queued = new QueuedNotice(this.#depth + 1)
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
      for (let next = this.#queue[0]; next?.isFilled === true; next = this.#queue[0]) {
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
    this.#commit.clear()
    this.#error.clear()
    this.#queue = []
  }

  #notify(notice: CommitNotice): void {
    for (const entry of [...this.#commit]) {
      // An earlier listener may have removed this one.
      if (!this.#commit.has(entry)) continue
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

/** The notice of one commit, and its depth in a chain of commits by listeners. */
class QueuedNotice {
  readonly depth: number
  notice: CommitNotice | null = null
  reports: readonly Report[] = []
  isFilled = false

  constructor(depth: number) {
    this.depth = depth
  }

  /** `notice` is null where there are no commit listeners. */
  fill(notice: CommitNotice | null, reports: readonly Report[]): void {
    this.notice = notice
    this.reports = reports
    this.isFilled = true
  }
}
