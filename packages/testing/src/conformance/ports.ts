import type { Clock, Ids } from '@entia/core'
import { createFakeClock } from '../ports/fake-clock.ts'
import { createFakeIds } from '../ports/fake-ids.ts'

/** Where a store takes time and ids from: options of `createDataStore`. */
export interface Ports {
  readonly clock: Clock
  readonly ids: Ids
}

/** Ports that are the same in every run, so that two stores given the same requests answer the same bytes. */
export interface FixedPorts {
  readonly ports: Ports
  /** Lets time pass. */
  advance(seconds: number): void
}

/** Time stands still until it is advanced, and ids count up from 1. */
export function createPorts(): FixedPorts {
  const clock = createFakeClock()
  return { ports: { clock, ids: createFakeIds() }, advance: (seconds) => clock.advance(seconds * 1000) }
}
