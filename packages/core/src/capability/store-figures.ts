import type { StoreFigures as Figures } from '../model/store-types.ts'
import type { Clock } from '../ports.ts'
import type { Reader } from '../query/reader.ts'
import type { Writer } from '../write/writer.ts'

/** The counters of a store. Reading a property reads the counter. */
export class StoreFigures implements Figures {
  readonly #writer: Writer
  readonly #reader: Reader
  readonly #clock: Clock
  readonly #begin: number

  constructor(writer: Writer, reader: Reader, clock: Clock) {
    this.#writer = writer
    this.#reader = reader
    this.#clock = clock
    this.#begin = clock.monotonic()
  }

  get uptimeMilliseconds(): number {
    return this.#clock.monotonic() - this.#begin
  }
  get historyCommits(): number {
    return this.#writer.history.commits
  }
  get historyBytes(): number {
    return this.#writer.history.bytes
  }
  get keptTextCharacters(): number {
    return this.#writer.tables.reduce((sum, { rowCache }) => sum + (rowCache?.characters ?? 0), 0)
  }
  get filtersCompiled(): number {
    return this.#reader.names.filtersCompiled + this.#reader.exposedNames.filtersCompiled
  }
}
