import { EntiaError } from '../errors.ts'
import { buildCatalog } from '../model/build-catalog.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { CommitNotice, StoreCore } from '../model/store-types.ts'
import { defaultIds } from '../ports.ts'
import { Reader } from '../read/reader.ts'
import { Watch } from '../read/watch.ts'
import { Table } from '../storage/table.ts'
import { plainUuid } from '../transaction/new-values.ts'
import { refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import { Writer } from '../write/writer.ts'
import type { Capability, GivenOptions } from './capability.ts'
import { type Composition, compositionOf } from './composition.ts'
import { DataClassTable } from './data-class-table.ts'
import { StoreHandle } from './handle.ts'
import { type KernelOptions, kernelOptions } from './kernel-options.ts'

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
      createTable:
        partial?.createTable ?? ((model: ClassModel) => new Table(model, indexes?.factory ?? null)),
    }
    const writer = new Writer(catalog, port, history)
    for (const table of writer.tables) table.sizes = options.sizes
    const publicTable = ({ name }: ClassModel): DataClassTable => this.dataClass(name)
    const matching = partial?.matching
    const reader = new Reader(writer, {
      clock,
      limits,
      watch,
      Selection,
      indexes,
      publicTable,
      matching,
    })
    this.#handle = new StoreHandle({
      catalog,
      clock,
      ids,
      composition,
      writer,
      reader,
      store: this,
      publicTable,
    })
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
    if (table === undefined) throw new EntiaError('dataClassNotFound', { dataClass: String(name) })
    return table
  }

  transact<R>(body: (tx: this) => R): R {
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
