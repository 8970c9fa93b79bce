import { type Awaitable, isPromise } from '../../engine/awaitable.ts'

/**
 * Holds answers back until every commit that they may show is durable. A reader then never learns of a state, or of a
 * stamp, that a loss of power takes back and that is given again to another value.
 */
export class Durability {
  readonly #durable: () => Promise<void>
  readonly #globalStamp: () => number
  /** All commits up to this global stamp are durable. A store begins with 0, before its first commit. */
  #durableStamp = 0

  constructor(durable: () => Promise<void>, globalStamp: () => number) {
    this.#durable = durable
    this.#globalStamp = globalStamp
  }

  /**
   * The result of `answer`, or its failure, once the commits made until then are durable. Waits for nothing when they are already,
   * unless `mustAsk` says afterwards that `durable` is to be awaited anyway. Throws what `durable` throws.
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
    return isPromise(answered) ? answered.then((value) => release(() => value), refuse) : release(() => answered as T)
  }

  /** Resolves when every commit made until now is durable; null when that is so already. Rejects with what `durable` throws. */
  pending(mustAsk = false): Promise<void> | null {
    const globalStamp = this.#globalStamp()
    return globalStamp > this.#durableStamp || mustAsk ? this.#wait(globalStamp) : null
  }

  async #wait(globalStamp: number): Promise<void> {
    await this.#durable()
    if (globalStamp > this.#durableStamp) this.#durableStamp = globalStamp
  }
}
