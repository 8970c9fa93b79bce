import { restError } from '../errors/rest-error.ts'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'

/** Settles in a later turn of the event loop: whatever waits meanwhile has its turn first. */
export type NextSlice = () => Promise<void>

/** Entities that are read or written in one turn; what is no more than twice as much is not worth a second turn. */
export const ENTITIES_PER_TURN = 250
export const MAX_ENTITIES_AT_ONCE = 2 * ENTITIES_PER_TURN
export const fitsOneSlice = (entities: number): boolean => entities <= MAX_ENTITIES_AT_ONCE

/** Calls `tick` again and again, as long apart; what it returns ends that. */
export type Every = (milliseconds: number, tick: () => void) => () => void

/** What of a host's timers is used: the first does not wait for a clock. */
interface Timers {
  readonly setInterval: (callback: () => void, milliseconds: number) => unknown
  readonly clearInterval: (timer: unknown) => void
  readonly setImmediate?: (callback: () => void) => unknown
  readonly setTimeout: (callback: () => void, milliseconds: number) => unknown
}

/** The next turn of the host that this runs in. */
export const hostNextSlice: NextSlice = () =>
  new Promise((resolve) => {
    const { setImmediate, setTimeout } = globalThis as unknown as Timers
    if (setImmediate !== undefined) setImmediate(resolve)
    else setTimeout(resolve, 0)
  })

/** The timer of the host, which does not keep a process alive. */
export const hostEvery: Every = (milliseconds, tick) => {
  const { setInterval, clearInterval } = globalThis as unknown as Timers
  const timer = setInterval(tick, milliseconds)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  return () => clearInterval(timer)
}

/**
 * The items one after the other: few at once, else some in each turn. `turn` is waited for between them; what it throws ends it.
 */
export function mapSliced<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  nextSlice: NextSlice,
): Awaitable<readonly R[]> {
  return fitsOneSlice(items.length) ? items.map((item) => map(item)) : mapMany(items, map, nextSlice)
}

async function mapMany<T, R>(items: readonly T[], map: (item: T) => R, nextSlice: NextSlice): Promise<readonly R[]> {
  const mapped: R[] = []
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && at % ENTITIES_PER_TURN === 0) await nextSlice()
    mapped.push(map(items[at]!))
  }
  return mapped
}

/**
 * The texts of many items with commas between them, in pieces: those of one turn are joined in it, since putting a long text together of
 * its smallest parts takes as long as making them.
 */
export async function joinSliced<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  nextSlice: NextSlice,
): Promise<readonly string[]> {
  const pieces: string[] = []
  for (let from = 0; from < items.length; from += ENTITIES_PER_TURN) {
    if (from > 0) await nextSlice()
    pieces.push(
      items
        .slice(from, from + ENTITIES_PER_TURN)
        .map(textOf)
        .join(','),
    )
  }
  return pieces
}

/** A caller that has gone gets nothing more done; nobody sees what this throws. */
export function refuseGone({ isGone }: Caller): void {
  if (isGone?.() === true) throw restError('bodyMalformed', { problem: 'the request was aborted' })
}
