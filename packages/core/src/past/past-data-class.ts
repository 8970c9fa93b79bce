import type { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { Reader } from '../read/reader.ts'
import { TableQueries } from '../read/table-queries.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { PastTables } from './past-tables.ts'

/**
 * One dataclass of a store as it was. Writes, and calls of the application's functions, throw
 * `pastReadOnly`.
 */
export class PastDataClass
  extends TableQueries
  implements DataClassCore<Untyped, Untyped, Untyped>
{
  readonly #reader: Reader
  readonly #past: PastTables

  constructor(model: ClassModel, reader: Reader, past: PastTables) {
    super(model, reader.queries)
    this.#reader = reader
    this.#past = past
  }

  get count(): number {
    this.#past.enter()
    return this.#past.tableOf(this.model).liveCount
  }
  get(key: unknown): AnyEntity | undefined {
    this.#past.enter()
    const stored = storedKey(this.model, key)
    return stored === null ? undefined : this.#reader.get(this.model, stored)
  }
  has(key: unknown): boolean {
    this.#past.enter()
    const stored = storedKey(this.model, key)
    return stored !== null && this.#past.tableOf(this.model).findKey(stored) >= 0
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

  /** The text that Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.name} at global stamp ${this.#past.globalStamp} (${this.count})`
  }

  #readOnly(operation: string): EntiaError {
    return this.#past.readOnly(operation)
  }
}
