import type { Statement } from './port.ts'

/** Texts that are remembered; each connection prepares at most this many before it is replaced. */
const MAX_SHAPES = 256

/**
 * Which statements are sent under a name. A text is named from its second use among the last 256
 * texts on, so that a text used once leaves nothing in the database.
 */
export class PreparedNames {
  /** Insertion order is the order of use. */
  readonly #recent = new Set<string>()
  readonly #byConnection = new WeakMap<object, Set<string>>()
  readonly prepares: boolean
  #count = 0

  constructor(prepares: boolean) {
    this.prepares = prepares
  }

  /** The name to send a statement under on a connection; undefined for none. */
  nameFor(connection: object, { name }: Statement): string | undefined {
    if (!this.prepares) return undefined
    const isKnown = this.#recent.delete(name)
    this.#recent.add(name)
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_SHAPES) break
      this.#recent.delete(oldest)
    }
    if (!isKnown) return undefined
    const names = this.#byConnection.get(connection) ?? new Set()
    if (!names.has(name)) this.#count++
    this.#byConnection.set(connection, names.add(name))
    return name
  }

  /** Statements that are prepared on all connections together. */
  get count(): number {
    return this.#count
  }

  /** A connection was closed. */
  forget(connection: object): void {
    this.#count -= this.#byConnection.get(connection)?.size ?? 0
    this.#byConnection.delete(connection)
  }

  /** True if a connection has prepared so many statements that it must be replaced. */
  isFull(connection: object): boolean {
    return (this.#byConnection.get(connection)?.size ?? 0) > MAX_SHAPES
  }
}
