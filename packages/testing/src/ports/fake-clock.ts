import type { Clock } from '@entia/core'
import { type Duration, toMilliseconds } from './duration.ts'
import type { Rewindable } from './rewindable.ts'

/** A clock that stands still until it is told to go on: the port `clock` of `createDataStore`. */
export interface FakeClock extends Clock, Rewindable {
  /** Lets time pass, for entity sets, locks, sessions and timestamps alike: `clock.advance('2h')`. */
  advance(duration: Duration): void
  /** Sets the wall clock, forwards or back, as somebody who changes the time of a computer does. Lifetimes do not notice. */
  set(time: Date | string | number): void
}

/** A moment with milliseconds, and not 0 by any clock. */
const BEGINNING = Date.UTC(2024, 0, 31, 12, 30, 15, 250)

/**
 * Makes a clock that stands still.
 *
 * Takes    `start`: what it shows at first; 2024-01-31T12:30:15.250Z by default.
 */
export function createFakeClock({ start = BEGINNING }: { readonly start?: Date | string | number } = {}): FakeClock {
  let now = momentOf(start)
  let passed = 1
  return {
    now: () => now,
    monotonic: () => passed,
    advance(duration) {
      const milliseconds = toMilliseconds(duration)
      now += milliseconds
      passed += milliseconds
    },
    set(time) {
      now = momentOf(time)
    },
    mark() {
      const then = now
      // What never goes back by its contract does not go back here.
      return () => {
        now = then
      }
    },
  }
}

function momentOf(time: Date | string | number): number {
  const moment = new Date(time).getTime()
  if (Number.isNaN(moment))
    throw new TypeError(`A moment is a Date, ISO 8601 text or milliseconds, not ${String(time)}.`)
  return moment
}
