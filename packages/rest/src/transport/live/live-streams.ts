import { isEntiaError, type Session } from '@entia/core'
import {
  type Awaitable,
  type Caller,
  type Engine,
  type HandlerHost,
  type SessionWatch,
  visibilityOf,
} from '@entia/engine'
import type { LiveAnswer, StreamRule, StreamSharing } from '../../endpoints/context/answer.ts'
import type { OpenStreamInfo } from '../../endpoints/context/operator-desk.ts'
import type { RenderOptions } from '../../render/entity.ts'
import { HEARTBEAT, LiveEvents, openingText } from '../../render/live-events.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { Durability } from './durability.ts'
import { EventStream } from './event-stream.ts'
import { PacedWakes } from './paced-wakes.ts'
import { SharedStreams } from './shared-streams.ts'
import { Lag, limitsFrom, orStop, tooManyStreams } from './stream-limits.ts'

/** Limits of live queries. */
export interface LiveLimits {
  /** Open streams; 100 by default. */
  readonly maxStreams: number
  /** Open streams per session, and of all callers without one; 8 by default. */
  readonly maxStreamsPerSession: number
  /** Entities in one result, and in one event; 1000 by default. */
  readonly maxEntities: number
  /** Seconds between heartbeats; 15 by default. */
  readonly heartbeatSeconds: number
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = Object.freeze({
  maxStreams: 100,
  maxStreamsPerSession: 8,
  maxEntities: 1000,
  heartbeatSeconds: 15,
})

interface OpenStream {
  readonly session: string | null
  readonly stream: EventStream
  describe(): OpenStreamInfo
}

/** The open streams of one handler. */
export class LiveStreams implements StreamRule {
  readonly #engine: Engine
  readonly #host: HandlerHost
  readonly #limits: LiveLimits
  /** Null if answers do not wait for durability. */
  readonly #durability: Durability | null
  readonly #report: (error: unknown) => void
  readonly #open = new Set<OpenStream>()
  readonly #shared: SharedStreams
  readonly #wakes: PacedWakes

  constructor(
    engine: Engine,
    host: HandlerHost,
    given: boolean | Partial<LiveLimits> | undefined,
    durability: Durability | null,
    report: (error: unknown) => void,
  ) {
    this.#engine = engine
    this.#host = host
    this.#wakes = new PacedWakes(() => host.nextSlice())
    this.#shared = new SharedStreams(host)
    this.#durability = durability
    this.#report = report
    this.#limits = limitsFrom(DEFAULT_LIVE_LIMITS, given)
  }

  get maxEntities(): number {
    return this.#limits.maxEntities
  }

  refuseFull(session: Session | null): void {
    const { maxStreams, maxStreamsPerSession } = this.#limits
    const id = session?.id ?? null
    let own = 0
    for (const one of this.#open) if (one.session === id) own++
    if (this.#open.size >= maxStreams || own >= maxStreamsPerSession)
      throw tooManyStreams(this.#limits)
  }

  admitSharing(sharing: StreamSharing, session: Session | null): Awaitable<void> {
    return this.#shared.admit(sharing, session)
  }

  list(): readonly OpenStreamInfo[] {
    return Array.from(this.#open, (stream) => stream.describe())
  }

  removeQuery(id: string, query: number, session: Session | null): void {
    this.#shared.find(id, session)?.remove(query)
  }

  /**
   * An answer that continues until the client disconnects, its session ends, or the store is
   * closed. `isStillKnown` is called with every heartbeat: false ends the stream as the end of the
   * session does. So does a call that has no result at the next heartbeat: only one runs at a time.
   * Null for callers whose session proves them. It must not reject. Throws tooManyRequests.
   */
  open(
    { projection, followed, skipped, signal: given, sharing }: LiveAnswer,
    page: RenderOptions,
    caller: Caller,
    isStillKnown: (() => Promise<boolean>) | null,
  ): RestResponse {
    const { sessions, instanceId } = this.#engine
    const { session } = caller
    orStop(followed, () => this.refuseFull(session))
    const visibility = caller.access === null ? null : visibilityOf(caller)
    // The connection of a shared stream outlives the requests that add queries to it.
    const signal = sharing === null ? given : null
    const events = new LiveEvents(instanceId, visibility, projection, page)
    const isAdded = sharing !== null && sharing.query > 0
    let opening = isAdded ? '' : openingText(this.#limits.heartbeatSeconds)
    const initial = followed.takeInitial()
    if (initial !== null) opening += events.initial(followed, initial, skipped)
    let first: string | null = opening === '' ? null : opening
    let isBeating = false
    /**
     * Changes are sent in the next task of the event loop, together with all changes until then.
     */
    let isWaking = false
    let reason: string | null = null
    let isKnown = true
    let watch: SessionWatch | null = null
    const whyOver = (): string | null => {
      watch?.check()
      if (!isKnown) return 'session'
      return followed.isStopped ? 'closed' : null
    }
    const fail = (error: unknown): string => {
      // The session ended after its last check.
      if (isEntiaError(error, 'loginRequired')) return end('session')
      reason = isEntiaError(error) ? error.code : 'failed'
      this.#report(error)
      return events.end(reason)
    }
    const end = (why: string): string => {
      reason = why
      return events.end(why)
    }
    /** A text is sent once everything that it shows is durable. */
    const whenDurable = (text: string): string | Promise<string> =>
      this.#durability?.pending()?.then(() => text, fail) ?? text
    const take = (): string | Promise<string> | null | undefined => {
      if (reason !== null) return undefined
      reason = whyOver()
      if (reason !== null) return events.end(reason)
      if (first !== null) {
        const text = first
        first = null
        return whenDurable(text)
      }
      try {
        const delta = isWaking ? null : followed.take()
        if (!isWaking) lag.end()
        if (delta !== null) return whenDurable(events.delta(delta))
      } catch (error) {
        return fail(error)
      }
      const text = isBeating ? HEARTBEAT : null
      isBeating = false
      return text
    }
    const stop = (): void => stream.end()
    let isChecking = false
    const check = (isStill: boolean): void => {
      isChecking = false
      // A late result does not revive a stream.
      isKnown &&= isStill
      if (!isKnown) stream.wake()
    }
    const checkCaller = (): void => {
      if (isStillKnown === null) return
      isChecking = true
      void isStillKnown().then(check)
    }
    const stream = new EventStream({
      take,
      ended: () => {
        this.#open.delete(entry)
        signal?.removeEventListener('abort', stop)
        endBeating()
        watch?.stop()
        followed.stop()
      },
    })
    const lag = new Lag(this.#host.monotonic)
    const describe = (): OpenStreamInfo => ({
      kind: 'live',
      user: session?.user?.ID ?? null,
      dataClasses: [projection.dataClass.name],
      plan: followed.plan,
      replica: null,
      behindMilliseconds: lag.milliseconds,
    })
    const entry = { session: session?.id ?? null, stream, describe }
    const endBeating = this.#host.every(this.#limits.heartbeatSeconds * 1000, () => {
      if (isChecking) isKnown = false
      isBeating = true
      stream.wake()
      // Also if the client does not read.
      if (whyOver() !== null) stream.end()
      else checkCaller()
    })
    this.#open.add(entry)
    if (session !== null)
      watch = sessions.whenEnded(session, () => {
        isKnown = false
        // Later, since the watch may call back while a text is taken.
        this.#wakes.add(() => stream.wake())
      })
    followed.onNews = () => {
      if (isWaking) return
      lag.begin()
      isWaking = true
      this.#wakes.add(() => {
        isWaking = false
        stream.wake()
      })
    }
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
    if (sharing === null) return { status: 200, headers: HEADERS, body: '', stream }
    if (isAdded) {
      if (given?.aborted === true) stop()
      this.#shared.add(sharing, stream, session)
      return { status: 202, headers: ADDED, body: '{"added":true}' }
    }
    const shared = this.#shared.open(sharing.id, stream, session, given)
    const headers = { ...HEADERS, 'live-stream': sharing.id }
    return { status: 200, headers, body: '', stream: shared }
  }

  endAll(): void {
    this.#shared.endAll()
    for (const { stream } of [...this.#open]) stream.end()
  }
}

/** HEAD gets the headers only. */
export function streamed(
  response: RestResponse & Required<Pick<RestResponse, 'stream'>>,
  method: string,
): RestResponse {
  if (method.toUpperCase() !== 'HEAD') return response
  void response.stream[Symbol.asyncIterator]().return?.()
  const { status, headers } = response
  return { status, headers, body: '' }
}

/** The query's events come in the shared stream. */
const ADDED: RestResponse['headers'] = Object.freeze({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
})

const HEADERS: RestResponse['headers'] = Object.freeze({
  'content-type': 'text/event-stream; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store, no-transform',
  // Some proxies would buffer a stream before they send it on.
  'x-accel-buffering': 'no',
})
