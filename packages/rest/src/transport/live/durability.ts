import { type Awaitable, isPromise } from '@entia/engine'

/**
 * Delays answers until every commit that they may show is durable. Otherwise a reader could learn
 * of a state, or a stamp, that a power loss takes back and that is given to another value later.
 */
export class Durability {
  readonly #durable: () => Promise<void>
  /** The global stamp of the last commit; null if only `durable` knows of the commits. */
  readonly #lastCommit: (() => number) | null
  /** All commits up to this global stamp are durable. A new store has the stamp 0. */
  #durableStamp = 0

  constructor(durable: () => Promise<void>, lastCommit: (() => number) | null) {
    this.#durable = durable
    this.#lastCommit = lastCommit
  }

  /**
   * The result of `answer`, or its error, once the commits made until then are durable. Does not
   * wait if they are already, unless `mustAsk` returns true afterwards. Throws what `durable`
   * throws.
   */
  hold<T>(answer: () => Awaitable<T>, mustAsk: () => boolean): Awaitable<T> {
    const release = (result: () => T): Awaitable<T> => {
      const waiting = this.pending(mustAsk())
      return waiting === null ? result() : waiting.then(result)
    }
    const refuse = (error: unknown): Awaitable<T> =>
      release(() => {
        throw error
      })
    let answered: Awaitable<T>
    try {
      answered = answer()
    } catch (error) {
      return refuse(error)
    }
    return isPromise(answered)
      ? answered.then((value) => release(() => value), refuse)
      : release(() => answered as T)
  }

  /**
   * Resolves when every commit made until now is durable; null if that is the case already. Rejects
   * with what `durable` throws.
   */
  pending(mustAsk = false): Promise<void> | null {
    if (this.#lastCommit === null) return this.#durable()
    const globalStamp = this.#lastCommit()
    return globalStamp > this.#durableStamp || mustAsk ? this.#wait(globalStamp) : null
  }

  async #wait(globalStamp: number): Promise<void> {
    await this.#durable()
    if (globalStamp > this.#durableStamp) this.#durableStamp = globalStamp
  }
}
