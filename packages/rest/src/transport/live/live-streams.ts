import { isEntiaError, type Session } from '@entia/core'
import { type Awaitable, type Caller, type SessionWatch, visibilityOf } from '@entia/engine'
import type { LiveAnswer, StreamRule, StreamSharing } from '../../endpoints/context/answer.ts'
import type { OpenStreamInfo } from '../../endpoints/context/operator-desk.ts'
import type { RenderOptions } from '../../render/entity.ts'
import { HEARTBEAT, LiveEvents, openingText } from '../../render/live-events.ts'
import type { RestResponse } from '../../render/serialize.ts'
import { EventStream } from './event-stream.ts'
import { OpenStreams, type StreamParts, streamHeaders } from './open-streams.ts'
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
export class LiveStreams extends OpenStreams<LiveLimits, OpenStream> implements StreamRule {
  readonly #shared = new SharedStreams(this.parts.host)

  constructor(parts: StreamParts, given: boolean | Partial<LiveLimits> | undefined) {
    super(parts, limitsFrom(DEFAULT_LIVE_LIMITS, given))
  }

  refuseFull(session: Session | null): void {
    const { maxStreams, maxStreamsPerSession } = this.limits
    const id = session?.id ?? null
    let own = 0
    for (const one of this.all) if (one.session === id) own++
    if (this.all.size >= maxStreams || own >= maxStreamsPerSession)
      throw tooManyStreams(this.limits)
  }

  admitSharing(sharing: StreamSharing, session: Session | null): Awaitable<void> {
    return this.#shared.admit(sharing, session)
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
    const { sessions, instanceId } = this.parts.engine
    const { session } = caller
    orStop(followed, () => this.refuseFull(session))
    const visibility = caller.access === null ? null : visibilityOf(caller)
    // The connection of a shared stream outlives the requests that add queries to it.
    const signal = sharing === null ? given : null
    const events = new LiveEvents(instanceId, visibility, projection, page)
    const isAdded = sharing !== null && sharing.query > 0
    let opening = isAdded ? '' : openingText(this.limits.heartbeatSeconds)
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
      this.parts.report(error)
      return events.end(reason)
    }
    const end = (why: string): string => {
      reason = why
      return events.end(why)
    }
    /** A text is sent once everything that it shows is durable. */
    const take = (): string | Promise<string> | null | undefined => {
      if (reason !== null) return undefined
      reason = whyOver()
      if (reason !== null) return events.end(reason)
      if (first !== null) {
        const text = first
        first = null
        return this.whenDurable(text, fail)
      }
      try {
        const delta = isWaking ? null : followed.take()
        if (!isWaking) lag.end()
        if (delta !== null) return this.whenDurable(events.delta(delta), fail)
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
        this.all.delete(entry)
        signal?.removeEventListener('abort', stop)
        endBeating()
        watch?.stop()
        followed.stop()
      },
    })
    const lag = new Lag(this.parts.host.monotonic)
    const describe = (): OpenStreamInfo => ({
      kind: 'live',
      user: session?.user?.ID ?? null,
      dataClasses: [projection.dataClass.name],
      plan: followed.plan,
      replica: null,
      behindMilliseconds: lag.milliseconds,
    })
    const entry = { session: session?.id ?? null, stream, describe }
    const endBeating = this.parts.host.every(this.limits.heartbeatSeconds * 1000, () => {
      if (isChecking) isKnown = false
      isBeating = true
      stream.wake()
      // Also if the client does not read.
      if (whyOver() !== null) stream.end()
      else checkCaller()
    })
    this.all.add(entry)
    if (session !== null)
      watch = sessions.whenEnded(session, () => {
        isKnown = false
        // Later, since the watch may call back while a text is taken.
        this.wakes.add(() => stream.wake())
      })
    followed.onNews = () => {
      if (isWaking) return
      lag.begin()
      isWaking = true
      this.wakes.add(() => {
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

  override endAll(): void {
    this.#shared.endAll()
    super.endAll()
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

const HEADERS = streamHeaders('text/event-stream; charset=utf-8')
