import { endedByReturn } from '@entia/core/internal'
import { pageParameters } from './check-input.ts'
import type { Wire } from './decode.ts'
import type { EntityExtras } from './dehydrated.ts'
import { isOnline, watchNetwork } from './network.ts'
import { isUnavailable, RemoteError } from './remote-error.ts'
import type { ServerEvent } from './server-events.ts'
import type { Parameters, Transport } from './transport.ts'

/**
 * The state of a selection, or a change of it. Entities are by key, in the order of the selection.
 */
export type LiveEvent<E, K = string | number> =
  /** The whole selection: first, and again if the server lost track of the changes in between. */
  | {
      readonly kind: 'initial'
      readonly globalStamp: number
      /** `incremental`: the server tests what changed. `recompute`: it runs the query again. */
      readonly plan: 'incremental' | 'recompute'
      readonly entities: ReadonlyMap<K, E>
    }
  | {
      readonly kind: 'delta'
      readonly globalStamp: number
      readonly entered: ReadonlyMap<K, E>
      /**
       * Members that still satisfy the query and were saved, or show related entities that changed:
       * follow `select('lastName, employer.name')`.
       */
      readonly changed: ReadonlyMap<K, E>
      readonly left: readonly K[]
      /** For a page: its keys in order, if the keys or their order changed; otherwise null. */
      readonly order: readonly K[] | null
    }

export interface LiveOptions {
  /** Aborting it ends the live query. */
  readonly signal?: AbortSignal
  /** Follows one page of the selection, including its order. */
  readonly page?: { readonly skip: number; readonly top: number }
  /**
   * Reconnects after this many milliseconds without data. By default two and a half heartbeats of
   * the server, 37.5 seconds for its default.
   */
  readonly silenceMilliseconds?: number
  /** Called with true after each connection, and with false after each loss of it. */
  readonly onConnection?: (isConnected: boolean) => void
}

/**
 * What live queries of a selection follow. Two selections with the same origin and text follow the
 * same result.
 */
export interface LiveIdentity {
  /** The connection that `connect` returned. */
  readonly origin: object
  /** The path and parameters of the request. */
  readonly text: string
  /** What JSON loses of an entity: images, BLOBs, hidden marks. Null if nothing. */
  extrasOf(entity: object): EntityExtras | null
  /** The entity that was JSON, with what it had lost. */
  withExtras(entity: object, extras: EntityExtras): object
}

/** Converts wire objects and keys to what callers get. */
interface LiveValues<E, K> {
  members(list: readonly Wire[]): ReadonlyMap<K, E>
  key(text: string): K
}
/** Converts an event, again if the catalog was out of date. */
export interface LiveDecoder<E, K> {
  decode<T>(convert: (values: LiveValues<E, K>) => T): Promise<T>
}

/** Longest pause between two attempts, in milliseconds. */
const LONGEST_PAUSE = 30_000

/**
 * Follows a selection. It reconnects after a lost connection and continues after the last event
 * received: after a pause, or at once when the server answers another request of the connection.
 * When the browser loses its network, it waits for the network. Throws `RemoteError` if the first
 * attempt fails, except for too many requests, and for errors that no retry can fix.
 */
export function follow<E, K>(
  transport: Transport,
  path: string,
  parameters: Parameters,
  decoder: LiveDecoder<E, K>,
  options: LiveOptions,
): AsyncGenerator<LiveEvent<E, K>, void, undefined> {
  return endedByReturn((ended) => events(transport, path, parameters, decoder, options, ended))
}

async function* events<E, K>(
  transport: Transport,
  path: string,
  parameters: Parameters,
  decoder: LiveDecoder<E, K>,
  { signal, page, silenceMilliseconds, onConnection }: LiveOptions,
  ended: AbortSignal,
): AsyncGenerator<LiveEvent<E, K>, void, undefined> {
  const requested = {
    ...parameters,
    $live: true,
    ...(page === undefined ? {} : pageParameters(page.skip, page.top)),
  }
  let id = ''
  let isFirst = true
  let failures = 0
  let pause = 1000
  /** True until an answer has ended a pause in vain: where only streams fail, pauses grow. */
  let mayHurry = true
  const isStopped = (): boolean => ended.aborted || signal?.aborted === true
  let hasNetwork = isOnline()
  /** Aborted when the signal is, and when the network is lost or found. */
  let current = new AbortController()
  const interrupt = (): void => {
    const before = current
    current = new AbortController()
    before.abort(signal?.aborted ? signal.reason : new RemoteError(0, OFFLINE))
  }
  const hurry = (): void => {
    mayHurry = false
    interrupt()
  }
  const endWatch = watchNetwork((isNow) => {
    if (isNow === hasNetwork) return
    hasNetwork = isNow
    interrupt()
  })
  ended.addEventListener('abort', interrupt)
  signal?.addEventListener('abort', interrupt)
  try {
    while (!isStopped()) {
      try {
        if (isFirst && !hasNetwork) throw new RemoteError(0, OFFLINE)
        const cut = current.signal
        const request = {
          path,
          parameters: requested,
          lastEventId: id,
          silence: silenceMilliseconds,
        }
        const opened = await transport.live.open(request, cut)
        isFirst = false
        onConnection?.(true)
        for await (const event of opened.read()) {
          failures = 0
          mayHurry = true
          if (isStopped()) return
          pause = opened.retry ?? pause
          if (event.name !== 'initial' && event.name !== 'delta') continue
          const liveEvent = await decoder.decode((values) => eventOf(event, values))
          if (event.id !== '') {
            id = event.id
            transport.saw(id)
          }
          yield liveEvent
        }
        pause = opened.retry ?? pause
        if (isStopped()) return
      } catch (error) {
        if (isStopped()) return
        if (!(error instanceof RemoteError) || !isUnavailable(error.status)) throw error
        if (isFirst && error.status !== 429) throw error
      }
      onConnection?.(false)
      // A browser may be wrong about its network, so there is an attempt without it too.
      const next = hasNetwork ? pause * 2 ** failures++ : LONGEST_PAUSE
      if (mayHurry) transport.answered.add(hurry)
      await pauseFor(Math.min(LONGEST_PAUSE, next), current.signal)
      transport.answered.delete(hurry)
    }
  } finally {
    endWatch()
    signal?.removeEventListener('abort', interrupt)
  }
}

const OFFLINE = 'The browser has no network.'

function eventOf<E, K>({ name, data }: ServerEvent, decoder: LiveValues<E, K>): LiveEvent<E, K> {
  const wire = JSON.parse(data) as Wire
  const globalStamp = wire.__GlobalStamp as number
  const members = (list: unknown): ReadonlyMap<K, E> => decoder.members(list as readonly Wire[])
  const keys = (list: unknown): readonly K[] =>
    (list as readonly string[]).map((key) => decoder.key(key))
  if (name === 'initial') {
    const plan = wire.__PLAN as 'incremental' | 'recompute'
    return { kind: 'initial', globalStamp, plan, entities: members(wire.__ENTITIES) }
  }
  return {
    kind: 'delta',
    globalStamp,
    entered: members(wire.__ENTERED),
    changed: members(wire.__CHANGED),
    left: keys(wire.__LEFT),
    order: wire.__ORDER === null ? null : keys(wire.__ORDER),
  }
}

function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
