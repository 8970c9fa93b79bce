import type { SqlPool } from '../../src/connect/port.ts'

/** A pool whose answers about changes can be held back: the mirrors of its process fall behind. */
export class SlowFollower implements SqlPool {
  readonly prepares: boolean
  /** The error of every statement about changes; null if they succeed. */
  failure: Error | null = null
  readonly #pool: SqlPool
  #held: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(pool: SqlPool) {
    this.#pool = pool
    this.prepares = pool.prepares
  }

  pause(): void {
    this.resume()
    this.#held = new Promise((resolve) => {
      this.#release = resolve
    })
  }
  resume(): void {
    this.#release()
  }

  query: SqlPool['query'] = async (statement) =>
    (await this.connect(({ send }) => send([statement])))[0]!

  connect: SqlPool['connect'] = async (body) => {
    let isHeld = false
    const result = await this.#pool.connect(({ send }) =>
      body({
        send: (statements) => {
          isHeld ||= statements.some(({ text }) => /SELECT.*entia_history/s.test(text))
          if (isHeld && this.failure !== null) throw this.failure
          return send(statements)
        },
      }),
    )
    // What it says was true when it was asked.
    if (isHeld) await this.#held
    return result
  }
  close(): Promise<void> {
    this.resume()
    return this.#pool.close()
  }
}
