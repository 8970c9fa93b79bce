import { isEntiaError } from '@entia/core'
import type { BatchOutcome } from '@entia/core/internal'
import type { Caller, CallTime, Engine, HandlerHost, SessionWatch } from '@entia/engine'
import type { FeedAnswer, ReplicaRule } from '../../endpoints/context/answer.ts'
import type { OpenStreamInfo } from '../../endpoints/context/operator-desk.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { Durability } from './durability.ts'
import { EventStream } from './event-stream.ts'
import { PacedWakes } from './paced-wakes.ts'
import { Lag, limitsFrom, orStop, tooManyStreams } from './stream-limits.ts'

/** Limits of replicas. */
export interface ReplicaLimits {
  /** Open streams; 1000 by default. */
  readonly maxStreams: number
  /** Entities of one replica; 200,000 by default. */
  readonly maxEntities: number
  /** Entities that one batch changes; 1000 by default. */
  readonly maxBatchItems: number
  /** Seconds after which the promise of a function is no longer awaited; 60 by default. */
  readonly maxCallSeconds: number
  /** Seconds between heartbeats, with which permissions are asked again; 15 by default. */
  readonly heartbeatSeconds: number
}

export const DEFAULT_REPLICA_LIMITS: ReplicaLimits = Object.freeze({
  maxStreams: 1000,
  maxEntities: 200_000,
  maxBatchItems: 1000,
  maxCallSeconds: 60,
  heartbeatSeconds: 15,
})

/** A timer of more fires at once. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1

interface OpenStream {
  readonly user: string | null
  readonly stream: EventStream
  check(): void
  describe(): OpenStreamInfo
}

/** The open streams of replicas. */
export class ReplicaStreams implements ReplicaRule {
  readonly #engine: Engine
  readonly #host: HandlerHost
  readonly #limits: ReplicaLimits
  readonly #wakes: PacedWakes
  readonly #durability: Durability | null
  readonly #report: (error: unknown) => void
  readonly #open = new Set<OpenStream>()
  /** The number of calls of `permissionsChanged`. */
  changes = 0
  /** Answered batches, by outcome. */
  readonly batches = { applied: 0, refused: 0 }

  constructor(
    engine: Engine,
    host: HandlerHost,
    given: boolean | Partial<ReplicaLimits> | undefined,
    durability: Durability | null,
    report: (error: unknown) => void,
  ) {
    this.#engine = engine
    this.#host = host
    this.#wakes = new PacedWakes(() => host.nextSlice())
    this.#durability = durability
    this.#report = report
    this.#limits = limitsFrom(DEFAULT_REPLICA_LIMITS, given)
  }

  get maxEntities(): number {
    return this.#limits.maxEntities
  }
  get maxBatchItems(): number {
    return this.#limits.maxBatchItems
  }
  get callTime(): CallTime {
    const { maxCallSeconds: seconds } = this.#limits
    const milliseconds = Math.min(seconds * 1000, MAX_TIMER_MILLISECONDS)
    return { seconds, whenOver: (over) => this.#host.every(milliseconds, over) }
  }

  answered(outcomes: readonly BatchOutcome[]): void {
    for (const { kind } of outcomes) this.batches[kind]++
  }

  refuseFull(): void {
    if (this.#open.size >= this.#limits.maxStreams) throw tooManyStreams(this.#limits)
  }

  /**
   * An answer that continues until the client disconnects, its session ends, its permissions
   * change or the store is closed. `isSame` is called with every heartbeat; false ends the stream,
   * and the replica comes back with the permissions that it has then. It must not reject. Nothing
   * is sent before it has answered. `changes` is the number that this object had when the request
   * arrived. Throws tooManyRequests.
   */
  open(
    { feed, waits, signal, replica, dataClasses }: FeedAnswer,
    { session }: Caller,
    isSame: () => Promise<boolean>,
    changes: number,
  ): RestResponse {
    orStop(feed, () => this.refuseFull())
    let isBeating = false
    let isWaking = false
    let isChecking = false
    let mustCheckAgain = false
    /** The check that is running began before the last heartbeat. */
    let isLate = false
    let isOver = false
    const lag = new Lag(this.#host.monotonic)
    let watch: SessionWatch | null = null
    const text = (lines: string): string | Promise<string> =>
      this.#durability?.pending()?.then(
        () => lines,
        (error) => this.#failed(error),
      ) ?? lines
    const wakeLater = (): void => {
      isWaking = true
      this.#wakes.add(() => {
        isWaking = false
        stream.wake()
      })
    }
    const take = (): string | Promise<string> | null | undefined => {
      watch?.check()
      if (isOver || feed.isStopped) return undefined
      // The caller may no longer read what has changed.
      if (isChecking) return null
      try {
        const lines = isWaking ? null : feed.take()
        if (!isWaking && feed.isCurrent) lag.end()
        if (lines !== null) {
          this.#wakes.count(lines.length)
          // The rest follows once other work had its turn.
          if (!feed.isCurrent) wakeLater()
          return text(lines)
        }
      } catch (error) {
        isOver = true
        return this.#failed(error)
      }
      if (!waits && feed.isCurrent) return undefined
      const beat = isBeating ? '\n' : null
      isBeating = false
      return beat
    }
    const end = (): void => {
      isOver = true
      stream.end()
    }
    const check = (): void => {
      mustCheckAgain = isChecking
      if (isChecking) return
      isChecking = true
      void isSame().then((same) => {
        isChecking = false
        isLate = false
        if (!same) end()
        else if (mustCheckAgain) check()
        else stream.wake()
      })
    }
    const stream = new EventStream({
      take,
      ended: () => {
        this.#open.delete(entry)
        signal?.removeEventListener('abort', end)
        endBeating()
        watch?.stop()
        feed.stop()
      },
    })
    const user = session?.user?.ID ?? null
    const describe = (): OpenStreamInfo => ({
      kind: 'replica',
      user,
      dataClasses,
      plan: null,
      replica,
      behindMilliseconds: lag.milliseconds,
    })
    const entry = { user, stream, check, describe }
    const endBeating = this.#host.every(this.#limits.heartbeatSeconds * 1000, () => {
      isBeating = true
      stream.wake()
      // A check that takes longer than from one heartbeat to the next counts as failed.
      if (isLate) end()
      else if (!isChecking) check()
      isLate = true
    })
    this.#open.add(entry)
    if (changes !== this.changes) check()
    if (session !== null)
      watch = this.#engine.sessions.whenEnded(session, () => {
        isOver = true
        void this.#host.nextSlice().then(end)
      })
    // All commits until the next task of the event loop are one moment.
    feed.onNews = () => {
      if (isWaking) return
      lag.begin()
      wakeLater()
    }
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
    return { status: 200, headers: HEADERS, body: '', stream }
  }

  /** Removes what is noted of replicas that have written nothing for so many days. */
  async expire(days: number, caller: Caller): Promise<number> {
    const { replicas } = this.#engine
    let count = 0
    for (;;) {
      const some = (await replicas?.expire(days, caller)) ?? 0
      count += some
      if (some === 0) return count
      await this.#host.nextSlice()
    }
  }

  list(): readonly OpenStreamInfo[] {
    return Array.from(this.#open, (stream) => stream.describe())
  }

  /** Asks for the permissions of open streams again: of one user, or of all. */
  permissionsChanged(user?: string): void {
    this.changes++
    for (const entry of [...this.#open])
      if (user === undefined || entry.user === user) entry.check()
  }

  endAll(): void {
    for (const { stream } of [...this.#open]) stream.end()
  }

  /** The last line of a stream that fails. */
  #failed(error: unknown): string {
    this.#report(error)
    return `${JSON.stringify(['!', isEntiaError(error) ? error.code : 'failed'])}\n`
  }
}

const HEADERS: RestResponse['headers'] = Object.freeze({
  'content-type': 'application/x-ndjson; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store, no-transform',
  // Some proxies would buffer a stream before they send it on.
  'x-accel-buffering': 'no',
})
