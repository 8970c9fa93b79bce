import type { Clock, Ids } from '@entia/core'
import { createFakeClock } from '../ports/fake-clock.ts'
import { createFakeIds } from '../ports/fake-ids.ts'

/** The sources of time and ids of a store: options of `createDataStore`. */
export interface Ports {
  readonly clock: Clock
  readonly ids: Ids
}

/** Ports that repeat in every run, so that equal stores give byte-identical replies. */
export interface FixedPorts {
  readonly ports: Ports
  /** Moves the clock forward. */
  advance(seconds: number): void
}

/**
 * The clock stops until it is advanced, and ids count up from 1.
 *
 * @example
 * ```ts
 * const { ports, advance } = createPorts()
 * const fixed = createDataStore({ name: 'fixed', dataClasses, ...ports })
 * advance(3600)
 * ```
 */
export function createPorts(): FixedPorts {
  const clock = createFakeClock()
  return {
    ports: { clock, ids: createFakeIds() },
    advance: (seconds) => clock.advance(seconds * 1000),
  }
}
