import type { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Reader } from '../read/reader.ts'
import { TableQueries } from '../read/table-queries.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { PastSide } from './past-side.ts'

/** One dataclass of a store as it was. Whatever would write, or asks for code of the application, is refused. */
export class PastTable extends TableQueries {
  readonly #reader: Reader
  readonly #side: PastSide

  constructor(model: ClassModel, reader: Reader, side: PastSide) {
    super(model, reader.queries)
    this.#reader = reader
    this.#side = side
  }

  get count(): number {
    this.#side.enter()
    return this.#side.tableOf(this.model).liveCount
  }
  get(key: unknown): object | undefined {
    this.#side.enter()
    const stored = storedKey(this.model, key)
    return stored === null ? undefined : this.#reader.get(this.model, stored)
  }
  has(key: unknown): boolean {
    this.#side.enter()
    const stored = storedKey(this.model, key)
    return stored !== null && this.#side.tableOf(this.model).findKey(stored) >= 0
  }

  insert(): never {
    throw this.#readOnly('insert')
  }
  update(): never {
    throw this.#readOnly('update')
  }
  updateAll(): never {
    throw this.#readOnly('updateAll')
  }
  remove(): never {
    throw this.#readOnly('remove')
  }
  preview(): never {
    throw this.#readOnly('preview')
  }
  load(): never {
    throw this.#readOnly('load')
  }
  createIndex(): never {
    throw this.#readOnly('createIndex')
  }
  dropIndex(): never {
    throw this.#readOnly('dropIndex')
  }
  call(): never {
    throw this.#readOnly('call')
  }
  callOn(): never {
    throw this.#readOnly('callOn')
  }

  /** What Node prints for it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.name} at global stamp ${this.#side.globalStamp} (${this.count})`
  }

  #readOnly(operation: string): EntiaError {
    return this.#side.readOnly(operation)
  }
}
