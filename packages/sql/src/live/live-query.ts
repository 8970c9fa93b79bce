import { EntiaError } from '@entia/core'
import { type EntityRecord, type Followed, type FollowedDelta, followsTooMany } from '@entia/engine'
import { publicError } from '../connect/database-error.ts'
import type { CommitNews } from './commit-poller.ts'
import { LiveResult } from './live-result.ts'

/** The result of a live query at a moment. */
export interface LiveAnswer {
  readonly globalStamp: number
  readonly records: readonly EntityRecord[]
}

export interface LiveQueryOptions {
  /** The dataclasses that decide about the result; null for all. */
  readonly reads: ReadonlySet<string> | null
  readonly isPage: boolean
  /** The most entities that may enter or change at once. */
  readonly maxEntities: number
  /** Runs the query. Throws `budgetExceeded`, and what reading throws. */
  readonly run: () => Promise<LiveAnswer>
  /** Takes a task that runs the query, and calls it as soon as there is a connection for it. */
  readonly schedule: (task: () => Promise<void>) => void
  readonly stopped: () => void
}

/**
 * A live query that runs again when a dataclass has changed that it reads, and compares the
 * results. While a delta waits to be taken it does not run: a slow client costs no more than the
 * result.
 */
export class LiveQuery implements Followed {
  readonly plan = 'recompute'
  readonly globalStamp: number
  onNews: () => void = () => {}
  readonly #options: LiveQueryOptions
  #initial: readonly EntityRecord[] | null
  /** What the client has, once it has taken the initial result or a delta. */
  #result: LiveResult
  #pending: { readonly delta: FollowedDelta; readonly result: LiveResult } | null = null
  #error: { readonly thrown: unknown } | null = null
  #isDirty = false
  #isRunning = false
  #isStopped = false

  /** `isKnown`: the client has this result already. */
  constructor(options: LiveQueryOptions, { globalStamp, records }: LiveAnswer, isKnown: boolean) {
    this.#options = options
    this.globalStamp = globalStamp
    this.#initial = isKnown ? null : records
    this.#result = new LiveResult(records)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  takeInitial(): readonly EntityRecord[] | null {
    const initial = this.#initial
    this.#initial = null
    return initial
  }

  take(): FollowedDelta | null {
    if (this.#error !== null) throw this.#error.thrown
    if (this.#pending === null) return null
    const { delta, result } = this.#pending
    this.#pending = null
    this.#result = result
    this.#runLater()
    return delta
  }

  /** Called with every answer of the poller. What failed while the database was away runs again. */
  hear({ changed }: Pick<CommitNews, 'changed'>): void {
    const { reads } = this.#options
    if (changed === null || (reads === null && changed.size > 0)) this.#isDirty = true
    else if (reads !== null && [...changed].some((name) => reads.has(name))) this.#isDirty = true
    this.#runLater()
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#initial = null
    this.#pending = null
    this.#options.stopped()
    this.onNews()
  }

  #runLater(): void {
    const isIdle = !this.#isRunning && this.#pending === null && this.#error === null
    if (!this.#isDirty || !isIdle || this.#isStopped) return
    this.#isRunning = true
    this.#options.schedule(() => this.#run())
  }

  async #run(): Promise<void> {
    // What is committed from now on needs another run.
    this.#isDirty = false
    let isAway = false
    try {
      if (!this.#isStopped) this.#compare(await this.#options.run())
    } catch (error) {
      const thrown = publicError(error)
      isAway = thrown instanceof EntiaError && String(thrown.code) === 'engineUnavailable'
      if (!isAway) this.#error = { thrown }
    }
    this.#isRunning = false
    if (this.#pending !== null || this.#error !== null) this.onNews()
    if (isAway) this.#isDirty = true
    else this.#runLater()
  }

  #compare({ globalStamp, records }: LiveAnswer): void {
    const { isPage, maxEntities } = this.#options
    if (this.#isStopped) return
    const result = new LiveResult(records)
    const delta = this.#result.deltaTo(result, records, globalStamp, isPage)
    if (delta === null) return
    if (delta.entered.length + delta.changed.length > maxEntities)
      throw followsTooMany('entities that entered or changed at once', maxEntities)
    this.#pending = { delta, result }
  }
}
