import { DatabaseError } from '../connect/database-error.ts'
import { type CommitHeads, type CommitLog, MAX_HEADS } from './commit-log.ts'
import type { WakeUps } from './wake-ups.ts'

/** What the database answered: whether anything was committed since the last answer. */
export interface CommitNews {
  /** True if there may be commits that were not there before. */
  readonly isNew: boolean
  /** Names of the dataclasses that were changed; null if that is not known any more. */
  readonly changed: ReadonlySet<string> | null
}
export type CommitListener = (news: CommitNews) => void

/** Settles after some milliseconds, or as soon as the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

export interface CommitPollerOptions {
  readonly log: Pick<CommitLog, 'globalStamp' | 'headsSince'>
  readonly pause: Pause
  /** Announces commits before the next poll. */
  readonly wakeUps?: WakeUps | undefined
  /** Called with failures other than those of an unreachable database. */
  readonly onError: (error: unknown) => void
}

/** How long commits of other processes may stay unnoticed. */
const INTERVAL = 100
/** The same with wake-ups, which may get lost. */
const INTERVAL_WITH_WAKE_UPS = 1000
/** The shortest time between two statements, however many commits are announced. */
const MIN_INTERVAL = 10
/** How long the poller waits at most while the database does not answer. */
const MAX_INTERVAL = 5000

/**
 * Asks the database what was committed, for all live queries and readers of changes of a process:
 * one statement per 100 ms while there are listeners, and none otherwise. With wake-ups it is one
 * per second, and one for announced commits.
 */
export class CommitPoller {
  readonly #options: CommitPollerOptions
  readonly #listeners = new Set<CommitListener>()
  #run: PollerRun | null = null

  constructor(options: CommitPollerOptions) {
    this.#options = options
  }

  /**
   * Calls the listener with every answer, so that no commit is missed that a statement sent from
   * now on may not see. Call the returned function to stop. Throws `DatabaseError`.
   */
  async listen(listener: CommitListener): Promise<() => void> {
    // A function of its own: one listener may listen twice.
    const own: CommitListener = (news) => listener(news)
    this.#listeners.add(own)
    const stop = (): void => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) void this.close()
    }
    this.#run ??= new PollerRun(this.#options, (news) => {
      for (const each of [...this.#listeners]) each(news)
    })
    const run = this.#run
    try {
      await run.started
    } catch (error) {
      // Others that listen start again.
      if (this.#run === run) this.#run = null
      stop()
      throw error
    }
    return stop
  }

  /** Every commit up to this global stamp has been reported; null without a listener. */
  get followed(): number | null {
    return this.#run?.last ?? null
  }

  /** Ends the polling; settles when the last statement has ended. */
  async close(): Promise<void> {
    const run = this.#run
    this.#run = null
    this.#listeners.clear()
    await run?.stop()
  }
}

/** One time of polling, from the first listener to the last. */
class PollerRun {
  /** Settles when the first global stamp is known. Rejects with a `DatabaseError`. */
  readonly started: Promise<void>
  readonly #options: CommitPollerOptions
  readonly #report: CommitListener
  readonly #stopping = new AbortController()
  /** Ends the present pause, or the next one. */
  #pausing = new AbortController()
  readonly #ended: Promise<void>
  /** Every commit up to here has been reported. */
  #last = 0
  /** Global stamps above it that have been reported: lower ones may still become visible. */
  #ahead = new Set<number>()

  constructor(options: CommitPollerOptions, report: CommitListener) {
    this.#options = options
    this.#report = report
    this.started = this.#start()
    this.#ended = this.started.then(
      () => this.#poll(),
      () => {},
    )
  }

  get last(): number {
    return this.#last
  }

  stop(): Promise<void> {
    this.#stopping.abort()
    this.#pausing.abort()
    return this.#ended
  }

  async #start(): Promise<void> {
    this.#last = await this.#options.log.globalStamp()
  }

  async #poll(): Promise<void> {
    const { log, pause, wakeUps, onError } = this.#options
    const { signal } = this.#stopping
    const forget = wakeUps?.subscribe((globalStamp) => {
      if (globalStamp > this.#last) this.#pausing.abort()
    })
    for (let interval = this.#interval; ; ) {
      await pause(Math.min(MIN_INTERVAL, interval), signal)
      await pause(interval - MIN_INTERVAL, this.#pausing.signal)
      if (signal.aborted) break
      this.#pausing = new AbortController()
      try {
        const news = this.#newsOf(await log.headsSince(this.#last))
        interval = this.#interval
        if (!signal.aborted) this.#report(news)
      } catch (error) {
        // Nothing is lost: the next statement that is answered reports what was committed.
        interval = Math.min(2 * interval, MAX_INTERVAL)
        if (!(error instanceof DatabaseError) && !signal.aborted) onError(error)
      }
    }
    forget?.()
  }

  /** No message announces that a stamp, which was reported ahead of lower ones, has settled. */
  get #interval(): number {
    const isAnnounced = this.#options.wakeUps !== undefined && this.#ahead.size === 0
    return isAnnounced ? INTERVAL_WITH_WAKE_UPS : INTERVAL
  }

  #newsOf({ globalStamp, trimmed, heads }: CommitHeads): CommitNews {
    const isUnknown = trimmed > this.#last || globalStamp < this.#last
    const fresh = heads.filter((head) => !this.#ahead.has(head.globalStamp))
    const isCut = heads.length === MAX_HEADS
    const last = isCut ? Math.min(globalStamp, heads.at(-1)!.globalStamp) : globalStamp
    const settled = [...this.#ahead].filter((stamp) => stamp <= last)
    this.#last = last
    for (const stamp of settled) this.#ahead.delete(stamp)
    for (const head of heads) if (head.globalStamp > last) this.#ahead.add(head.globalStamp)
    const isNew = isUnknown || fresh.length > 0 || settled.length > 0
    return { isNew, changed: isUnknown ? null : new Set(fresh.flatMap(({ classes }) => classes)) }
  }
}
