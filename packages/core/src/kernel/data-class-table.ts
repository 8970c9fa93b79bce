import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type {
  DataClassCore,
  DataClassWrites,
  RemoveOptions,
  WriteOptions,
} from '../model/table-types.ts'
import type { Reader } from '../read/reader.ts'
import { TableQueries } from '../read/table-queries.ts'
import type { Selection } from '../selection/selection.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions } from '../value/check-options.ts'
import type { Writer } from '../write/writer.ts'

const WRITE_OPTIONS = ['stamp']
const REMOVE_OPTIONS = ['stamp', 'maxCascade']

/**
 * One dataclass of a store, as its users see it. Inside a transaction the same object sees what is
 * staged.
 */
export class DataClassTable
  extends TableQueries
  implements DataClassCore<Untyped, Untyped, Selection>, DataClassWrites<Untyped, Untyped>
{
  readonly #table: Table
  readonly #reader: Reader
  readonly #writer: Writer

  constructor(table: Table, reader: Reader, writer: Writer) {
    super(table.model, reader.queries)
    this.#table = table
    this.#reader = reader
    this.#writer = writer
  }

  get count(): number {
    this.#writer.enter()
    return this.#table.isWhole ? this.#table.liveCount : this.all().count
  }

  get(key: unknown): AnyEntity | undefined {
    const stored = storedKey(this.#table.model, key)
    if (stored !== null) return this.#reader.getFrom(this.#table, stored)
    this.#writer.guard()
    return undefined
  }
  has(key: unknown): boolean {
    this.#writer.guard()
    return this.#writer.find(this.#table, key) >= 0
  }

  insert(values: unknown): AnyEntity {
    const { single } = this.#writer
    const given = single.read(this.#table, values)
    if (this.#hasListeners())
      return this.#writer.transact(() => this.#saved(single.insert(this.#table, given)))
    return this.#saved(single.insert(this.#table, given))
  }
  update(key: unknown, patchOrEdit: unknown, options?: WriteOptions): AnyEntity {
    const { single } = this.#writer
    checkCallOptions(options, WRITE_OPTIONS)
    // Options may be getters too, and are read once.
    const stamp = options?.stamp
    const given = single.readEdit(this.#table, patchOrEdit)
    if (!this.#hasListeners()) return this.#saved(single.save(this.#table, key, given, stamp))
    return this.#writer.transact(() => this.#saved(single.save(this.#table, key, given, stamp)))
  }
  remove(key: unknown, options?: RemoveOptions): void {
    checkCallOptions(options, REMOVE_OPTIONS)
    this.#writer.single.remove(this.#table, key, options)
  }
  preview(key: unknown, values: unknown): AnyEntity {
    const { values: stored, stamp, timestamp } = this.#writer.preview(this.#table, key, values)
    return this.#reader.entityOf(this.#table, stored, stamp, timestamp)
  }

  /** What Node prints for a table. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `DataClassTable ${this.name} (${this.#table.liveCount})`
  }

  /**
   * True when listeners or after-hooks run right after a save. They may change the entity, so that
   * it must be read before the commit. Inside a transaction none runs yet.
   */
  #hasListeners(): boolean {
    return this.#writer.current === null && this.#writer.hasListeners(this.#table)
  }

  /** The entity just written. */
  #saved(slot: number): AnyEntity {
    return this.#reader.entityAt(this.#table, slot)
  }
}
