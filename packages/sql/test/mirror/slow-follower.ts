import type { SqlPool, Statement } from '../../src/connect/port.ts'

/** A pool whose answers about changes can be held back: the mirrors of its process fall behind. */
export class SlowFollower implements SqlPool {
  readonly prepares: boolean
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

  async query(statement: Statement): Promise<Awaited<ReturnType<SqlPool['query']>>> {
    const answer = await this.#pool.query(statement)
    // What it says was true when it was asked.
    if (/entia_history/.test(statement.text)) await this.#held
    return answer
  }
  connect: SqlPool['connect'] = (body) => this.#pool.connect(body)
  close(): Promise<void> {
    this.resume()
    return this.#pool.close()
  }
}
