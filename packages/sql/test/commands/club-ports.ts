import type { Ids } from '@entia/core'
import { createPorts, type Ports } from '../../../testing/src/conformance/ports.ts'

/**
 * Ids that count up. Those of two clubs are made equal after requests at the same time, which may
 * use some for attempts that are given up.
 */
class ClubIds implements Ids {
  #ids = 0
  #tokens = 0

  uuid = (): string => hexadecimal(++this.#ids)
  token = (): string => hexadecimal(++this.#tokens)

  continueAfter(other: ClubIds): void {
    this.#ids = other.#ids = Math.max(this.#ids, other.#ids)
    this.#tokens = other.#tokens = Math.max(this.#tokens, other.#tokens)
  }

  get state(): IdState {
    return { ids: this.#ids, tokens: this.#tokens }
  }

  /** From here another process counts while this one goes on. */
  get apart(): IdState {
    return { ids: this.#ids + APART, tokens: this.#tokens + APART }
  }

  /** Goes on after what another process has used. */
  continueAt({ ids, tokens }: IdState): void {
    this.#ids = Math.max(this.#ids, ids)
    this.#tokens = Math.max(this.#tokens, tokens)
  }
}

/** How many ids were used. */
export interface IdState {
  readonly ids: number
  readonly tokens: number
}

/** More ids than requests at the same time use. */
const APART = 100_000

const hexadecimal = (value: number): string => value.toString(16).toUpperCase().padStart(32, '0')

/** The clock and the ids of one club. */
export interface ClubPorts {
  readonly ports: Ports
  readonly ids: ClubIds
  advance(seconds: number): void
  /** How far the clock was advanced, in seconds. */
  passed(): number
}

export function createClubPorts(): ClubPorts {
  const { ports, advance } = createPorts()
  const ids = new ClubIds()
  let seconds = 0
  return {
    ports: { clock: ports.clock, ids },
    ids,
    advance(more) {
      seconds += more
      advance(more)
    },
    passed: () => seconds,
  }
}
