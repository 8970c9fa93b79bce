import type { Catalog } from '@entia/core'
import { engineError } from '../errors/engine-error.ts'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'
import type { Engine } from './engine.ts'

/** Settles in a later task of the event loop, after the work that waits for it. */
export type NextSlice = () => Promise<void>

/** Entities that are read or written per time slice. */
export const ENTITIES_PER_SLICE = 250
export const MAX_ENTITIES_AT_ONCE = 2 * ENTITIES_PER_SLICE
export const fitsOneSlice = (entities: number): boolean => entities <= MAX_ENTITIES_AT_ONCE

/** Calls `tick` periodically. Call the returned function to stop. */
export type Every = (milliseconds: number, tick: () => void) => () => void

/** The timer functions that are used. `setImmediate` does not wait for a clock. */
interface Timers {
  readonly setInterval: (callback: () => void, milliseconds: number) => unknown
  readonly clearInterval: (timer: unknown) => void
  readonly setImmediate?: (callback: () => void) => unknown
  readonly setTimeout: (callback: () => void, milliseconds: number) => unknown
}

/** Yields to the event loop of the host. */
export const hostNextSlice: NextSlice = () =>
  new Promise((resolve) => {
    const { setImmediate, setTimeout } = globalThis as Timers
    if (setImmediate !== undefined) setImmediate(resolve)
    else setTimeout(resolve, 0)
  })

/** The host's timer. It does not keep the process alive. */
const hostEvery: Every = (milliseconds, tick) => {
  const { setInterval, clearInterval } = globalThis as Timers
  const timer = setInterval(tick, milliseconds)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer)
    (timer as { unref(): void }).unref()
  return () => clearInterval(timer)
}

/**
 * Maps the items in order: small arrays at once, large ones in time slices. Rejects with what
 * `nextSlice` throws.
 */
export function mapSliced<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  nextSlice: NextSlice,
): Awaitable<readonly R[]> {
  if (!fitsOneSlice(items.length)) return mapMany(items, map, nextSlice)
  const mapped: R[] = []
  for (const item of items) mapped.push(map(item))
  return mapped
}

async function mapMany<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  nextSlice: NextSlice,
): Promise<readonly R[]> {
  const mapped: R[] = []
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && at % ENTITIES_PER_SLICE === 0) await nextSlice()
    mapped.push(map(items[at]!))
  }
  return mapped
}

/**
 * Joins the texts of many items with commas, one piece per time slice: joining a long text from its
 * smallest parts would take as long as writing them.
 */
export async function joinSliced<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  nextSlice: NextSlice,
): Promise<readonly string[]> {
  const pieces: string[] = []
  for (let from = 0; from < items.length; from += ENTITIES_PER_SLICE) {
    if (from > 0) await nextSlice()
    pieces.push(
      items
        .slice(from, from + ENTITIES_PER_SLICE)
        .map(textOf)
        .join(','),
    )
  }
  return pieces
}

/**
 * Ends an operation that an operator has stopped, or whose client has disconnected and never sees
 * the error. Throws requestStopped, requestAborted.
 */
export function refuseGone({ isGone, stop }: Caller): void {
  if (stop?.isStopped === true) throw engineError('requestStopped', {})
  if (isGone?.() === true) throw engineError('requestAborted', {})
}

/** What a handler takes from its host. It does not decide any answer. */
export interface HandlerHost {
  /** Ends a time slice of a long read, batch or answer. */
  readonly nextSlice: NextSlice
  /** Calls back periodically. */
  readonly every: Every
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** The timers and the clock of Node or the browser. */
export const DEFAULT_HOST: HandlerHost = Object.freeze({
  nextSlice: hostNextSlice,
  every: hostEvery,
  monotonic: () => performance.now(),
})

/** The member by which a store says how to serve it. Copies of this package share it. */
export const ENGINE: unique symbol = Symbol.for('@entia/engine')

/** What an engine is created with. */
export interface EngineOptions {
  readonly host: HandlerHost
  /** The limit `maxWaitingReads` of the handler. */
  readonly maxWaitingReads: number
}

/** A store with an engine of its own. `createRestHandler` calls the member once per handler. */
export interface Served {
  readonly catalog: Catalog
  readonly [ENGINE]: (options: EngineOptions) => Engine
  /** Ends the store. A handler never calls it; the program that created the store does. */
  close(): Awaitable<void>
}
