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
 * Who is told of commits, and of errors that nobody else can be told of (listeners and after-hooks that throw). Notices
 * are told one after the other in commit order, also when a listener commits; a chain of those is cut at a fixed depth.
 */
export class Listeners {
  readonly #commit = new Set<{ readonly listener: CommitListener }>()
  readonly #error = new Set<{ readonly listener: ErrorListener }>()
  readonly #waiting: Waiting[] = []
  /** Depth of the notice that is being told; 0 when none is. */
  #depth = 0

  get hasCommitListeners(): boolean {
    return this.#commit.size > 0
  }

  /** Returns the way to stop it. The same function may be added more than once. */
  onCommit(listener: CommitListener): () => void {
    const entry = { listener }
    this.#commit.add(entry)
    return () => void this.#commit.delete(entry)
  }

  onError(listener: ErrorListener): () => void {
    const entry = { listener }
    this.#error.add(entry)
    return () => void this.#error.delete(entry)
  }

  /** Tells of a commit, now, or when the notice that is being told is through; null where no listener of commits is to be told. */
  notify(notice: CommitNotice | null, news: readonly News[]): void {
    if (this.#depth === MAX_HOOK_DEPTH) {
      for (const one of news) one.keep()
      this.report(new EntiaError('hookTooDeep', { dataClass: '*', hook: 'commit listener', limit: MAX_HOOK_DEPTH }))
      return
    }
    this.#waiting.push({ notice, news, depth: this.#depth + 1 })
    if (this.#depth > 0) return
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
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
    this.#waiting.length = 0
  }

  #tell(notice: CommitNotice): void {
    for (const entry of [...this.#commit]) {
      // One that an earlier listener took away is not told.
      if (!this.#commit.has(entry)) continue
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
interface Waiting {
  readonly notice: CommitNotice | null
  readonly news: readonly News[]
  readonly depth: number
}
