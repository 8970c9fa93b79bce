import type { SqlConnection, SqlPool, SqlRows, Statement } from './port.ts'

interface Held {
  readonly connection: SqlConnection
  readonly end: () => void
}

/** One connection of a pool at a time: taken with a statement, and given back between two. */
export class Lease implements SqlConnection {
  readonly #pool: SqlPool
  #held: Held | null = null
  /** Settles when the pool has the last connection back. */
  #ended: Promise<void> = Promise.resolve()

  constructor(pool: SqlPool) {
    this.#pool = pool
  }

  async send(statements: readonly Statement[]): Promise<readonly SqlRows[]> {
    this.#held ??= await this.#take()
    return this.#held.connection.send(statements)
  }

  /** Rolls back what is open. Without a connection it does nothing. */
  async giveBack(): Promise<void> {
    const held = this.#held
    if (held === null) return
    this.#held = null
    held.end()
    await this.#ended
  }

  #take(): Promise<Held> {
    return new Promise((resolve, reject) => {
      const leased = this.#pool.connect(
        (connection) => new Promise<void>((end) => resolve({ connection, end })),
      )
      this.#ended = leased.catch(reject)
    })
  }
}
