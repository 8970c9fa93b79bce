/** A session that is watched: `SessionWatch` of `@entia/engine`. */
export interface Watch {
  /** Looks, if it is time to, whether the session has ended. */
  check(): void
  stop(): void
}

export interface SessionWatchesPort {
  readonly cacheMilliseconds: number
  monotonic(): number
  /** Which of these sessions are open. */
  open(ids: readonly string[]): Promise<readonly string[]>
}

/**
 * Calls back when sessions end. A session that ends in this process is reported at once, others
 * when a watch is checked: by one statement for all watched sessions, once in `cacheMilliseconds`.
 */
export class SessionWatches {
  readonly #port: SessionWatchesPort
  readonly #watched = new Map<string, Set<() => void>>()
  #isAsking = false
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(port: SessionWatchesPort) {
    this.#port = port
  }

  watch(id: string, ended: () => void): Watch {
    // A function of its own, because one callback may watch several sessions.
    const report = (): void => ended()
    const callbacks = this.#watched.get(id) ?? new Set()
    this.#watched.set(id, callbacks.add(report))
    return {
      check: () => {
        if (this.#watched.get(id)?.has(report) === true) void this.#ask()
      },
      stop: () => {
        const known = this.#watched.get(id)
        known?.delete(report)
        if (known?.size === 0) this.#watched.delete(id)
      },
    }
  }

  /** As `check` of every watch. */
  checkAll(): void {
    if (this.#watched.size > 0) void this.#ask()
  }

  /** Reports that a session has ended. */
  end(id: string): void {
    const callbacks = this.#watched.get(id)
    this.#watched.delete(id)
    for (const report of callbacks ?? []) report()
  }

  async #ask(): Promise<void> {
    const now = this.#port.monotonic()
    if (this.#isAsking || now - this.#askedAt < this.#port.cacheMilliseconds) return
    this.#isAsking = true
    this.#askedAt = now
    const ids = [...this.#watched.keys()]
    try {
      const open = new Set(await this.#port.open(ids))
      for (const id of ids) if (!open.has(id)) this.end(id)
    } catch {
      // The database does not answer. The next check asks again, and reads report the failure.
    } finally {
      this.#isAsking = false
    }
  }
}
