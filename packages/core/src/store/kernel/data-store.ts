import { buildCatalog } from '../../model/build-catalog.ts'
import type { Catalog, ClassModel } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import type { AnyEntity } from '../../model/entity-types.ts'
import { unknownDataClass } from '../../model/path.ts'
import type { CommitNotice, StoreCore } from '../../model/store-types.ts'
import type {
  DataClassCore,
  DataClassWrites,
  RemoveOptions,
  WriteOptions,
} from '../../model/table-types.ts'
import { defaultIds } from '../../ports.ts'
import { TableQueries } from '../../query/queries.ts'
import { Reader } from '../../query/reader.ts'
import type { Selection } from '../../query/selection.ts'
import { Watch } from '../../query/watch.ts'
import { storedKey } from '../../storage/stored-key.ts'
import { Table } from '../../storage/table.ts'
import { checkCallOptions, describeFound, Refusal, refused } from '../../value/check-options.ts'
import { coerceInput } from '../../value/coerce.ts'
import type { StoredValue } from '../../value/types.ts'
import { plainUuid } from '../../write/port.ts'
import { Writer } from '../../write/writer.ts'
import {
  type Capability,
  type Composition,
  compositionOf,
  createHandle,
  type GivenOptions,
  type StoreHandle,
} from './capability.ts'
import { type KernelOptions, kernelOptions } from './kernel-options.ts'

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
    const { mustHold } = this.#reader.options
    return this.#table.isWhole && mustHold === undefined ? this.#table.liveCount : this.all().count
  }

  get(key: unknown): AnyEntity | undefined {
    const stored = storedKey(this.#table.model, key)
    if (stored !== null) {
      const found = this.#reader.getFrom(this.#table, stored)
      if (found === undefined) this.#reader.mustHoldKey(this.#table.model, stored)
      return found
    }
    this.#writer.guard()
    return undefined
  }
  has(key: unknown): boolean {
    this.#writer.guard()
    if (this.#writer.find(this.#table, key) >= 0) return true
    const stored = storedKey(this.#table.model, key)
    if (stored !== null) this.#reader.mustHoldKey(this.#table.model, stored)
    return false
  }
  override findBy(name: string, value: unknown): AnyEntity | undefined {
    const table = this.#table
    const reader = this.#reader
    const attribute = table.model.attributes.get(name)
    const index = attribute?.kind === 'storage' ? table.indexes[attribute.ordinal] : null
    // A unique value has one holder at most, and the index knows it without a query, unless other
    // values count than those in the columns. A closed store is refused after a wrong argument.
    if (index?.unique && table.isWhole) {
      const { type, dateOnly } = index.column.attribute
      const stored = coerceInput(type, dateOnly, value)
      if (stored !== null && !(stored instanceof Refusal) && !reader.mayDangle) {
        const slot = index.holderOf(stored)
        return slot < 0 ? undefined : reader.entityAt(table, slot)
      }
    }
    return super.findBy(name, value)
  }

  insert(values: unknown): AnyEntity {
    const table = this.#table
    const { single } = this.#writer
    return single.insert(table, single.read(table, values), this.#reader)
  }
  update(key: unknown, patchOrEdit: unknown, options?: WriteOptions): AnyEntity {
    const table = this.#table
    const { single } = this.#writer
    checkCallOptions(options, WRITE_OPTIONS)
    // Options may be getters too, and are read once.
    const stamp = options?.stamp
    const given = single.read(table, patchOrEdit, true)
    return single.save(table, key, given, stamp, this.#reader)
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
}

/**
 * A datastore: one catalog, one table per dataclass, one writer, in this process. Its dataclasses
 * are properties by name. Capabilities add members to subclasses.
 */
export class DataStore implements StoreCore<Untyped> {
  readonly name: string
  readonly catalog: Catalog
  #id: string | null
  readonly #handle: StoreHandle
  readonly #tables = new Map<string, DataClassTable>()

  constructor(catalog: Catalog, options: KernelOptions, composition: Composition) {
    const { clock, ids, history, limits, partial } = options
    this.name = catalog.name
    // Ids of tests keep the order of creation; random ones are drawn at the first read.
    this.#id = ids === defaultIds ? null : plainUuid(ids.uuid())
    this.catalog = catalog
    const watch = new Watch(clock)
    const entityOf = (
      table: Table,
      values: readonly StoredValue[],
      stamp: number,
      timestamp: number,
    ): AnyEntity => reader.entityOf(table, values, stamp, timestamp)
    const { Selection, indexes } = composition
    const port = {
      clock,
      ids,
      entityOf,
      store: this,
      watch,
      mayDangle: partial?.mustHold !== undefined,
      createTable: (model: ClassModel) => {
        const factory = indexes?.factory ?? null
        return partial?.createTable?.(model, factory) ?? new Table(model, factory)
      },
    }
    const writer = new Writer(catalog, port, history)
    for (const table of writer.tables) table.sizes = options.sizes
    const reader = new Reader(writer, {
      clock,
      limits,
      watch,
      Selection,
      indexes,
      publicTable: ({ name }) => this.dataClass(name),
      matching: partial?.matching,
      mustHold: partial?.mustHold,
    })
    this.#handle = createHandle({ catalog, clock, ids, composition, writer, reader, store: this })
    const TableClass = composition.tableClass(DataClassTable, true)
    for (const table of writer.tables) {
      const facade = new TableClass(table, reader, writer)
      this.#tables.set(table.model.name, facade)
      Object.defineProperty(this, table.model.name, { value: facade, enumerable: true })
    }
  }

  /** Workers refuse random values while a module loads, where most programs create their store. */
  get id(): string {
    this.#id ??= plainUuid(this.#handle.ids.uuid())
    return this.#id
  }
  get globalStamp(): number {
    return this.#handle.writer.globalStamp
  }

  /** Throws `dataClassNotFound`. */
  dataClass(name: string): DataClassTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw unknownDataClass(name, this.#tables.keys())
    return table
  }

  transact<R>(body: (tx: this) => R): R {
    if (typeof body !== 'function')
      throw refused('The body of a transaction', 'a function', describeFound(body))
    return this.#handle.writer.transact(() => body(this))
  }

  /**
   * `commit` after each commit; `error` for what listeners and after-hooks throw. Returns a
   * function that stops it.
   */
  on(
    event: 'commit' | 'error',
    listener: ((commit: CommitNotice) => void) | ((error: unknown) => void),
  ): () => void {
    const { writer } = this.#handle
    writer.guard()
    if (typeof listener !== 'function') throw refused('The listener', 'a function', typeof listener)
    if (event === 'commit')
      return writer.listeners.onCommit(listener as (commit: CommitNotice) => void)
    if (event === 'error') return writer.listeners.onError(listener as (error: unknown) => void)
    throw refused('The event', '"commit" or "error"', `"${String(event)}"`)
  }

  close(): void {
    this.#handle.writer.close()
    for (const close of this.#handle.closing) close()
  }
  [Symbol.dispose](): void {
    this.close()
  }

  /** Creates a store with capabilities. `name` stands in for the option that is not given. */
  static create(
    given: GivenOptions,
    capabilities: readonly Capability[],
    name?: string,
  ): DataStore {
    const options = kernelOptions(given, capabilities)
    const catalog = buildCatalog({ ...given, name: given.name ?? name })
    return DataStore.over(catalog, options, capabilities)
  }

  /** Creates a store over a catalog, which several stores may share. */
  static over(
    catalog: Catalog,
    options: KernelOptions,
    capabilities: readonly Capability[],
  ): DataStore {
    const composition = compositionOf(capabilities)
    const store = new (composition.storeClass(DataStore))(catalog, options, composition)
    for (const { install } of capabilities) install?.(store.#handle, options.groups)
    return store
  }
}
