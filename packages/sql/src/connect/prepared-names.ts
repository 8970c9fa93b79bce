import type { WireStatement } from './one-sync.ts'
import type { SqlValue, Statement } from './port.ts'
import { wireText } from './wire-values.ts'

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
  #prepares: boolean
  #generation = 0
  #count = 0

  constructor(prepares: boolean) {
    this.#prepares = prepares
  }

  get prepares(): boolean {
    return this.#prepares
  }

  /** Counts how often `renew` took effect. */
  get generation(): number {
    return this.#generation
  }

  /** Sends no names any more. */
  stop(): void {
    this.#prepares = false
  }

  /** Prepares every text again, unless that was begun after the given generation. */
  renew(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }

  /** A statement as it is sent on a connection. */
  wire(connection: object, statement: Statement): WireStatement {
    const name = this.#nameFor(connection, statement)
    const text =
      // A pooler that prepares for its clients knows a statement by its text.
      name === undefined || this.#generation === 0
        ? statement.text
        : `${statement.text} /* ${this.#generation} */`
    return { name, text, values: statement.values.map(wireValue) }
  }

  /** The name of a statement on a connection; undefined for none. */
  #nameFor(connection: object, { name: given }: Statement): string | undefined {
    if (!this.#prepares || given === '') return undefined
    const name = this.#generation === 0 ? given : `${given}.${this.#generation}`
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

/** Bytes travel as they are, everything else as text. */
const wireValue = (value: SqlValue): string | Buffer | null =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : wireText(value)
