import type { Clock, Ids } from '@entia/core'

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

/** When every case begins: a moment with milliseconds, and not 0 by any clock. */
const BEGINNING = Date.UTC(2024, 0, 31, 12, 30, 15, 250)

/** Time stands still until it is advanced, and ids count up from 1. */
export function createPorts(): FixedPorts {
  let passed = 0
  let issued = 0
  const nextId = (): string => (++issued).toString(16).toUpperCase().padStart(32, '0')
  return {
    ports: {
      clock: { now: () => BEGINNING + passed, monotonic: () => 1 + passed },
      ids: { uuid: nextId, token: nextId },
    },
    advance: (seconds) => {
      passed += seconds * 1000
    },
  }
}
