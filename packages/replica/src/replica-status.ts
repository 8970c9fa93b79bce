import { RemoteError } from '@entia/client'
import type { ReplicaState } from './replica-parts.ts'

/** The state of a replica, and the functions that are called after changes of the replica. */
export class ReplicaStatus {
  state: ReplicaState = 'loading'
  /** Why the replica is `offline` or `refused`, or was closed; null in other states. */
  error: unknown = null
  /** What calls are refused with; null until the replica is closed. */
  #refusal: { readonly error: unknown } | null = null
  /** Resolves when the first contents are here. */
  readonly ready: Promise<void>
  #settle: { resolve(): void; reject(error: unknown): void } = {
    resolve: () => {},
    reject: () => {},
  }
  readonly #listeners = new Set<{ readonly listener: () => void }>()
  readonly #onError: (error: unknown) => void

  /** `onError` gets the errors of functions that are called. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
    this.ready = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // An unhandled rejection would end the program of a caller who only waits for `current`.
    this.ready.catch(() => {})
  }

  /** The first contents are here. */
  loaded(): void {
    this.#settle.resolve()
  }
  /** The first contents cannot be had. */
  failed(error: unknown): void {
    this.#settle.reject(error)
  }

  add(listener: () => void): () => void {
    const entry = { listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Calls the functions. */
  changed(): void {
    for (const entry of [...this.#listeners]) {
      // An earlier function may have removed this one.
      if (!this.#listeners.has(entry)) continue
      try {
        entry.listener()
      } catch (error) {
        this.#onError(error)
      }
    }
  }

  /** As `until`. Rejects if the server refuses, too. */
  unlessRefused(isReached: () => boolean): Promise<void> {
    // A tab that follows still shows the refusal of an earlier question.
    let isAsked = this.state !== 'refused'
    return this.until(() => {
      if (isReached()) return true
      isAsked ||= this.state !== 'refused'
      if (isAsked && this.state === 'refused') throw this.error
      return false
    })
  }

  get isClosed(): boolean {
    return this.#refusal !== null
  }
  /** Nothing is sent any more. `why` is null if the program has closed the replica. */
  close(why: unknown): void {
    this.#refusal = { error: why ?? closed() }
    this.failed(this.#refusal.error)
  }
  /** Throws why the replica is closed, if it is. */
  refuseClosed(): void {
    if (this.#refusal !== null) throw this.#refusal.error
  }

  /** Resolves once a condition holds. Rejects with what it throws, or if the replica is closed. */
  until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        try {
          if (!isReached()) {
            this.refuseClosed()
            return
          }
          resolve()
        } catch (error) {
          reject(error)
        }
        stop()
      }
      const stop = this.add(check)
      check()
    })
  }
}

const closed = (): RemoteError => new RemoteError(0, 'The replica is closed.')
/** Another tab has called `forget`. */
export const removed = (): RemoteError =>
  new RemoteError(
    0,
    'The replica is closed. Another tab has removed its data with forget(): call replicate to begin again.',
  )
