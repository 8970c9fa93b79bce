import type { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'

// The limits of streams of both kinds, of live queries and of replicas.

/** Options in place of defaults. An `undefined` option must not hide a default. */
export function limitsFrom<L extends object>(
  defaults: L,
  given: boolean | Partial<L> | undefined,
): L {
  const known = Object.entries(typeof given === 'object' ? given : {})
  return { ...defaults, ...Object.fromEntries(known.filter(([, limit]) => limit !== undefined)) }
}

export const tooManyStreams = ({
  heartbeatSeconds: retryAfterSeconds,
}: {
  readonly heartbeatSeconds: number
}): EntiaError => restError('tooManyRequests', { retryAfterSeconds })

/** Checks again what was checked before the engine waited. If that throws, `source` is stopped. */
export function orStop(source: { stop(): void }, check: () => void): void {
  try {
    check()
  } catch (error) {
    source.stop()
    throw error
  }
}

/**
 * Since when the changes of a stream wait for its client, which takes each text when it has sent
 * the one before. Cost: a clock reading for the first change that waits.
 */
export class Lag {
  readonly #monotonic: () => number
  #since: number | null = null

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  begin(): void {
    this.#since ??= this.#monotonic()
  }
  end(): void {
    this.#since = null
  }
  get milliseconds(): number {
    return this.#since === null ? 0 : Math.round(this.#monotonic() - this.#since)
  }
}
