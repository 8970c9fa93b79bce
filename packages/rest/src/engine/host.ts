import { type Every, hostEvery, hostNextSlice, type NextSlice } from './time-slices.ts'

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
