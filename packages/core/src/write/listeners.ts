import { EntiaError } from '../errors.ts'
import type { CommitNotice } from '../model/store-types.ts'
import { MAX_HOOK_DEPTH } from '../transaction/hooks.ts'

export type CommitListener = (commit: CommitNotice) => void
export type ErrorListener = (error: unknown) => void

/** What somebody beside the listeners of commits is to be told of one. */
export interface News {
  /** May throw, or answer a promise that rejects: that is reported. */
  tell(): unknown
  /** It cannot be told now: it is told with what comes next. */
  keep(): void
}

/**
 * Who is told of commits, and of errors that nobody else can be told of (listeners and after-hooks that throw). Notices are told one after the
 * other in the order of commits, also where a listener or an after-hook commits: what comes while a notice is told, or while after-hooks
 * run, waits for its turn. A chain of commits by listeners is cut at a fixed depth.
 */
export class Listeners {
  readonly #commit = new Set<{ readonly listener: CommitListener; readonly since: number }>()
  readonly #error = new Set<{ readonly listener: ErrorListener }>()
  /** In the order of commits. */
  #waiting: Place[] = []
  /** Depth of the notice that is being told; 0 when none is. */
  #depth = 0
  /** After-hooks that are running, one within the other. */
  #held = 0
  readonly #globalStamp: () => number

  /** Takes what answers the global stamp of now. */
  constructor(globalStamp: () => number) {
    this.#globalStamp = globalStamp
  }

  get hasCommitListeners(): boolean {
    return this.#commit.size > 0
  }

  /** Of the commits from now on. Returns the way to stop it. The same function may be added more than once. */
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

  /** A place for what is to be told of a commit that was just made; `tell` tells it once it is filled. */
  place(): Place {
    const place = new Place(this.#depth + 1)
    this.#waiting.push(place)
    return place
  }

  /** Runs what may commit; what is to be told of that waits until the outermost call ends, and longer where a notice is being told. */
  hold(body: () => void): void {
    this.#held++
    try {
      body()
    } finally {
      this.#held--
    }
  }

  /** Tells what waits, unless it is told already further out. */
  tell(): void {
    if (this.#waiting.length === 0 || this.#depth > 0 || this.#held > 0) return
    try {
      // What is not filled yet is judged further out, and tells what follows it as well.
      for (let next = this.#waiting[0]; next?.isFilled === true; next = this.#waiting[0]) {
        this.#waiting.shift()
        if (next.depth > MAX_HOOK_DEPTH) {
          for (const one of next.news) one.keep()
          this.report(new EntiaError('hookTooDeep', { dataClass: '*', hook: 'commit listener', limit: MAX_HOOK_DEPTH }))
          continue
        }
        this.#depth = next.depth
        if (next.notice !== null) this.#tell(next.notice)
        for (const one of next.news) this.#call(() => one.tell())
      }
    } finally {
      this.#depth = 0
    }
  }

  /** Reports an error that must not stop anything. What error listeners throw is nobody's. */
  report(error: unknown): void {
    for (const { listener } of [...this.#error]) {
      try {
        listener(error)
      } catch {
        // There is nobody left to tell.
      }
    }
  }

  clear(): void {
    this.#commit.clear()
    this.#error.clear()
    this.#waiting = []
  }

  #tell(notice: CommitNotice): void {
    for (const entry of [...this.#commit]) {
      // One that an earlier listener took away is not told.
      if (!this.#commit.has(entry)) continue
      // Nor is one that was added when this commit had been made, and waited to be told.
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

/** What is told of one commit, and how deep in a chain of commits by listeners it is. */
class Place {
  readonly depth: number
  notice: CommitNotice | null = null
  news: readonly News[] = []
  isFilled = false

  constructor(depth: number) {
    this.depth = depth
  }

  /** Takes null where no listener of commits is to be told. */
  fill(notice: CommitNotice | null, news: readonly News[]): void {
    this.notice = notice
    this.news = news
    this.isFilled = true
  }
}
