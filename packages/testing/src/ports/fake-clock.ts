import type { Clock } from '@entia/core'
import { checkNames } from '@entia/core/internal'
import { type Duration, toMilliseconds } from './duration.ts'
import type { Rewindable } from './rewindable.ts'

/** A clock that stops until it is advanced: the port `clock` of `createDataStore`. */
export interface FakeClock extends Clock, Rewindable {
  /** Moves time forward for entity sets, locks, sessions and timestamps: `clock.advance('2h')`. */
  advance(duration: Duration): void
  /**
   * Sets the wall clock forwards or back, like a change of the system time. Lifetimes are not
   * affected.
   */
  set(time: Date | string | number): void
}

/** Hours, minutes, seconds and milliseconds of this moment are not 0 in any time zone. */
const BEGINNING = Date.UTC(2024, 0, 31, 12, 30, 15, 250)

/**
 * Creates a stopped clock. `start` is its first time; 2024-01-31T12:30:15.250Z by default.
 *
 * @example
 * ```ts
 * const clock = createFakeClock({ start: '2026-02-28T12:00:00Z' })
 * const timed = createDataStore({ name: 'timed', dataClasses, clock })
 * clock.advance('2h')
 * timed.Company.insert({ name: 'Acme' }).timestamp // → 2026-02-28T14:00:00.000Z
 * ```
 */
export function createFakeClock(
  options: { readonly start?: Date | string | number } = {},
): FakeClock {
  checkNames(options, ['start'])
  let now = momentOf(options.start ?? BEGINNING)
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
      // The monotonic time must never decrease, so rewinding does not reset it.
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
