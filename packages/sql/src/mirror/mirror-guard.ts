import { type Awaitable, isPromise } from '@entia/engine'

/** What a read throws that needs more than a mirror has. Code of the application may catch it. */
class NotMirrored extends Error {
  override readonly name = 'NotMirrored'
}

/**
 * Notes what reads of a mirror need and it does not have: such a read is void, whatever it answers,
 * and the database answers in its place.
 */
export class MirrorGuard {
  #refusals = 0
  #isOpen = true

  /** Lets everything through until the end of `body`: that is not a read of a caller. */
  open<R>(body: () => R): R {
    this.#isOpen = true
    try {
      return body()
    } finally {
      this.#isOpen = false
    }
  }

  /** Refuses from now on, also where no commit follows the contents. */
  close(): void {
    this.#isOpen = false
  }
  /** Lets everything through from now on: nothing reads any more. */
  release(): void {
    this.#isOpen = true
  }

  /** Called where a read looks at something that the mirror does not have. */
  readonly pass = (): void => {
    if (!this.#isOpen) this.refuse()
  }
  readonly refuse = (): never => {
    this.#refusals++
    throw new NotMirrored('A mirror does not have what was read.')
  }

  /**
   * What a read answers; null if it is void. One that runs at the same time as a void one counts as
   * void too.
   */
  run<R>(read: () => Awaitable<R>): Awaitable<{ readonly value: R } | null> {
    const before = this.#refusals
    const answered = (value: R) => (this.#refusals === before ? { value } : null)
    const failed = (error: unknown): null => {
      if (this.#refusals === before) throw error
      return null
    }
    try {
      const value = read()
      return isPromise(value) ? value.then(answered, failed) : answered(value)
    } catch (error) {
      return failed(error)
    }
  }
}
