import type { Session } from '@entia/core'
import type { StatePort } from './state-port.ts'

interface Cached {
  readonly session: Session
  /** Monotonic milliseconds. */
  readonly until: number
}

/**
 * The sessions that this process has read lately. A session that another process ended is found
 * here until its entry is too old.
 */
export class SessionCache {
  readonly #port: Pick<StatePort, 'clock' | 'cacheMilliseconds'>
  readonly #max: number
  /** By the key that found it, the oldest first. */
  readonly #entries = new Map<string, Cached>()
  readonly #keysById = new Map<string, Set<string>>()

  constructor(port: Pick<StatePort, 'clock' | 'cacheMilliseconds'>, max: number) {
    this.#port = port
    this.#max = max
  }

  get(key: string): Session | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#port.clock.monotonic() < entry.until
      ? entry.session
      : undefined
  }

  /**
   * `left` is the time until the session expires. An entry ends by half of it, so that a session in
   * use is renewed before it expires.
   */
  set(key: string, session: Session, left: number): void {
    const milliseconds = Math.min(this.#port.cacheMilliseconds, left / 2)
    if (milliseconds <= 0) return
    this.#delete(key)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#max && oldest !== undefined) this.#delete(oldest)
    this.#entries.set(key, { session, until: this.#port.clock.monotonic() + milliseconds })
    const keys = this.#keysById.get(session.id)
    if (keys === undefined) this.#keysById.set(session.id, new Set([key]))
    else keys.add(key)
  }

  /** Forgets a session by its public id. */
  forget(id: string): void {
    for (const key of [...(this.#keysById.get(id) ?? [])]) this.#delete(key)
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    const keys = this.#keysById.get(entry.session.id)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysById.delete(entry.session.id)
  }
}
