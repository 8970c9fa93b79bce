import { isEntiaError } from '@entia/core'
import type { BatchOutcome } from '@entia/core/internal'
import type { Caller, CallTime, SessionWatch } from '@entia/engine'
import type { FeedAnswer, ReplicaRule } from '../../endpoints/context/answer.ts'
import type { OpenStreamInfo } from '../../endpoints/context/operator-desk.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { EventStream } from './event-stream.ts'
import { OpenStreams, type StreamParts, streamHeaders } from './open-streams.ts'
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
export class ReplicaStreams extends OpenStreams<ReplicaLimits, OpenStream> implements ReplicaRule {
  /** The number of calls of `permissionsChanged`. */
  changes = 0
  /** Answered batches, by outcome. */
  readonly batches = { applied: 0, refused: 0 }

  constructor(parts: StreamParts, given: boolean | Partial<ReplicaLimits> | undefined) {
    super(parts, limitsFrom(DEFAULT_REPLICA_LIMITS, given))
  }

  get maxBatchItems(): number {
    return this.limits.maxBatchItems
  }
  get callTime(): CallTime {
    const { maxCallSeconds: seconds } = this.limits
    const milliseconds = Math.min(seconds * 1000, MAX_TIMER_MILLISECONDS)
    return { seconds, whenOver: (over) => this.parts.host.every(milliseconds, over) }
  }

  answered(outcomes: readonly BatchOutcome[]): void {
    for (const { kind } of outcomes) this.batches[kind]++
  }

  refuseFull(): void {
    if (this.all.size >= this.limits.maxStreams) throw tooManyStreams(this.limits)
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
    const lag = new Lag(this.parts.host.monotonic)
    let watch: SessionWatch | null = null
    const wakeLater = (): void => {
      isWaking = true
      this.wakes.add(() => {
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
          this.wakes.count(lines.length)
          // The rest follows once other work had its turn.
          if (!feed.isCurrent) wakeLater()
          return this.whenDurable(lines, (error) => this.#failed(error))
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
        this.all.delete(entry)
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
    const endBeating = this.parts.host.every(this.limits.heartbeatSeconds * 1000, () => {
      isBeating = true
      stream.wake()
      // A check that takes longer than from one heartbeat to the next counts as failed.
      if (isLate) end()
      else if (!isChecking) check()
      isLate = true
    })
    this.all.add(entry)
    if (changes !== this.changes) check()
    if (session !== null)
      watch = this.parts.engine.sessions.whenEnded(session, () => {
        isOver = true
        void this.parts.host.nextSlice().then(end)
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
    const { replicas } = this.parts.engine
    let count = 0
    for (;;) {
      const some = (await replicas?.expire(days, caller)) ?? 0
      count += some
      if (some === 0) return count
      await this.parts.host.nextSlice()
    }
  }

  /** Asks for the permissions of open streams again: of one user, or of all. */
  permissionsChanged(user?: string): void {
    this.changes++
    for (const entry of [...this.all]) if (user === undefined || entry.user === user) entry.check()
  }

  /** The last line of a stream that fails. */
  #failed(error: unknown): string {
    this.parts.report(error)
    return `${JSON.stringify(['!', isEntiaError(error) ? error.code : 'failed'])}\n`
  }
}

const HEADERS = streamHeaders('application/x-ndjson; charset=utf-8')
