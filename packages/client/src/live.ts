import type { Wire } from './decode.ts'
import { RemoteError } from './remote-error.ts'
import { type ServerEvent, ServerEvents } from './server-events.ts'
import type { Parameters, Transport } from './transport.ts'

/** What a selection is, or what has become of it since. Entities are by key, in the order of the selection. */
export type LiveEvent<E, K = string | number> =
  /** All of it: at first, and again where the server cannot tell what happened while nobody was listening. */
  | {
      readonly kind: 'initial'
      readonly globalStamp: number
      /** Whether the server keeps up by looking at what changed, or runs the query again. */
      readonly plan: 'incremental' | 'recompute'
      readonly entities: ReadonlyMap<K, E>
    }
  | {
      readonly kind: 'delta'
      readonly globalStamp: number
      readonly entered: ReadonlyMap<K, E>
      /** Saved, and still what was asked for. */
      readonly changed: ReadonlyMap<K, E>
      readonly left: readonly K[]
      /** Of a page, its keys in order, where they or their order are not what they were; else null. */
      readonly order: readonly K[] | null
    }

export interface LiveOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Follows a page: with its order. */
  readonly page?: { readonly skip: number; readonly top: number }
  /** Milliseconds without a sign of life after which it asks anew; 60 000 by default. */
  readonly silenceMilliseconds?: number
}

/** How what is sent becomes what is handed out. */
export interface LiveDecoder<E, K> {
  members(list: readonly Wire[]): ReadonlyMap<K, E>
  key(text: string): K
}

/** Longest pause between two attempts, in milliseconds. */
const LONGEST_PAUSE = 30_000
/** Too many streams, or a server that is just starting: it may be better later. */
const LATER: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])

/**
 * Follows a selection. A connection that ends is made anew, and goes on after the last event that arrived. Throws `RemoteError` where the first
 * attempt fails, and for what will not be better later.
 */
export async function* follow<E, K>(
  transport: Transport,
  path: string,
  parameters: Parameters,
  decode: () => Promise<LiveDecoder<E, K>>,
  { signal, page, silenceMilliseconds = 60_000 }: LiveOptions,
): AsyncGenerator<LiveEvent<E, K>, void, undefined> {
  const asked = { ...parameters, $live: true, ...(page === undefined ? {} : { $skip: page.skip, $top: page.top }) }
  let id = ''
  let isFirst = true
  let failures = 0
  let pause = 1000
  const isStopped = (): boolean => signal?.aborted === true
  while (!isStopped()) {
    try {
      const body = await transport.open(path, asked, id, signal)
      const events = new ServerEvents(body, silenceMilliseconds, signal)
      const decoder = await decode()
      isFirst = false
      for await (const event of events.read()) {
        failures = 0
        if (isStopped()) return
        pause = events.retry ?? pause
        const told = eventOf(event, decoder)
        if (told === null) continue
        if (event.id !== '') id = event.id
        yield told
      }
      pause = events.retry ?? pause
      if (isStopped()) return
    } catch (error) {
      if (isStopped()) return
      if (isFirst || !(error instanceof RemoteError) || !LATER.has(error.status)) throw error
    }
    await pauseFor(Math.min(LONGEST_PAUSE, pause * 2 ** failures++), signal)
  }
}

function eventOf<E, K>({ name, data }: ServerEvent, decoder: LiveDecoder<E, K>): LiveEvent<E, K> | null {
  if (name !== 'initial' && name !== 'delta') return null
  const wire = JSON.parse(data) as Wire
  const globalStamp = wire.__GlobalStamp as number
  const members = (list: unknown): ReadonlyMap<K, E> => decoder.members(list as readonly Wire[])
  const keys = (list: unknown): readonly K[] => (list as readonly string[]).map((key) => decoder.key(key))
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

function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
