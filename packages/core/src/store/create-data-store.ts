import { checkDump } from '../dump/read-dump.ts'
import { StoreKeep } from '../dump/store-keep.ts'
import { EntiaError } from '../errors.ts'
import type { ReadingLimits } from '../execute/turns.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { buildCatalog } from '../model/build-catalog.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Session } from '../model/session-types.ts'
import type { CommitNotice, RecordChange, Snapshot } from '../model/store-types.ts'
import type { ViewOptions } from '../model/view-types.ts'
import { type PastPort, PastStore } from '../past/past-store.ts'
import { Reader } from '../read/reader.ts'
import { StoreReading } from '../read/reading.ts'
import { Watch } from '../read/watch.ts'
import type { EntitySets } from '../server-state/entity-sets.ts'
import type { Locks } from '../server-state/locks.ts'
import type { Sessions } from '../server-state/sessions.ts'
import { SessionsSide } from '../server-state/sessions-side.ts'
import type { Uploads } from '../server-state/uploads.ts'
import { Pins } from '../storage/pins.ts'
import type { Table } from '../storage/table.ts'
import { plainUuid } from '../transaction/new-values.ts'
import { refusePromise } from '../transaction/user-code.ts'
import { checkStamp, refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import { StoreView } from '../view/view.ts'
import { recordChanges } from '../write/record-changes.ts'
import { Writer } from '../write/writer.ts'
import { DataClassTable } from './data-class-table.ts'
import { callClassFunction, callStoreFunction } from './functions.ts'
import type { CreateDataStore, DataStoreOptions, OpenDump, OpenDumpOptions } from './options.ts'
import { StoreFigures } from './store-figures.ts'
import { type StoreOptions, storeOptions } from './store-options.ts'
import { verifyStore } from './verify-store.ts'
import { createWriteSide } from './write-side.ts'

/**
 * A datastore: one catalog, one table per dataclass, one writer, in this process. Its dataclasses are properties by name.
 */
export class DataStore {
  readonly name: string
  readonly id: string
  readonly catalog: Catalog
  readonly sessions: Sessions
  readonly locks: Locks
  readonly entitySets: EntitySets
  readonly uploads: Uploads
  readonly figures: StoreFigures
  readonly #keep: StoreKeep
  readonly #side: SessionsSide
  readonly #writer: Writer
  readonly #reader: Reader
  readonly #past: PastPort
  readonly #readingLimits: ReadingLimits
  readonly #tables: ReadonlyMap<string, DataClassTable>

  constructor(catalog: Catalog, options: StoreOptions) {
    const { clock, ids, history, filterLimits } = options
    this.name = catalog.name
    this.#readingLimits = options.reading
    this.id = plainUuid(ids.uuid())
    this.catalog = catalog
    const side = new SessionsSide(
      {
        clock,
        ids,
        writer: () => this.#writer,
        table: (dataClass) => this.#writer.tables[this.dataClass(dataClass).model.ordinal],
      },
      options.side,
    )
    this.#side = side
    this.sessions = side.sessions
    this.locks = side.locks
    this.entitySets = side.entitySets
    this.uploads = side.uploads
    const watch = new Watch(clock)
    const entityOf = (table: Table, values: readonly StoredValue[], stamp: number, timestamp: number): object =>
      this.#reader.entityOf(table, values, stamp, timestamp)
    this.#writer = new Writer(catalog, { clock, ids, entityOf, store: this, locks: side.locks, watch }, history)
    for (const table of this.#writer.tables) {
      table.keptTexts.maxCharacters = options.keptTexts.characters
      table.sizes = options.sizes
    }
    const live = new LiveQueries(this.#writer.listeners, () => this.#writer.outside('live'))
    this.#writer.observe(live)
    this.#reader = new Reader(
      createWriteSide(this.#writer),
      {
        publicTable: (model) => this.dataClass(model.name),
        live: (request) => live.start(request),
        call: (selection, model: ClassModel, name, args) =>
          callClassFunction(
            this.#writer,
            model,
            'selection',
            name,
            { selection, dataClass: this.dataClass(model.name), store: this },
            args,
          ),
      },
      clock,
      filterLimits,
      watch,
    )
    this.figures = new StoreFigures(this.#writer, this.#reader, clock)
    const pins = new Pins(this.#writer.history)
    this.#past = { writer: this.#writer, pins, catalog, clock, limits: filterLimits }
    const tables = new Map<string, DataClassTable>()
    for (const table of this.#writer.tables) {
      const facade = new DataClassTable(table, this.#reader, this.#writer, () => this)
      tables.set(table.model.name, facade)
      Object.defineProperty(this, table.model.name, { value: facade, enumerable: true })
    }
    this.#tables = tables
    this.#keep = new StoreKeep(catalog, this.#writer, () => side.entitySets.clear())
  }

  get globalStamp(): number {
    return this.#writer.globalStamp
  }

  /** Throws `dataClassNotFound`. */
  dataClass(name: string): DataClassTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new EntiaError('dataClassNotFound', { dataClass: String(name) })
    return table
  }

  transact<R>(body: (tx: this) => R): R {
    return this.#writer.transact(() => body(this))
  }
  /** Runs `body` as a session, or as nobody. Throws `argumentInvalid` for what is no open session of this store. */
  as<R>(session: Session | null, body: () => R): R {
    this.#writer.guard()
    const writing = session === null ? null : this.sessions.current(session)
    const result = this.#writer.as(writing, body)
    refusePromise(result, 'The body of as', 'Await before it: what follows an await is not done as the session.')
    return result
  }
  /** The store as one reader may see it. */
  view(options?: ViewOptions): StoreView {
    return new StoreView(this.#reader, this.catalog, options)
  }
  /** A read in turns: nothing is done before its first `advance`. */
  reading<R>(body: () => R): StoreReading<R> {
    return new StoreReading(this.#reader, this.#readingLimits, () => this.#writer.outside('reading'), body)
  }
  snapshot(): Snapshot {
    return this.#side.mark(this.#writer.snapshot())
  }
  /** Undoes every commit since, as one commit. Sets and locks made since are dropped, those that ended since stay so. */
  restore(snapshot: Snapshot): void {
    this.#side.beforeRestore()
    // Listeners of the restore must not see what it ends, and what they make is made after it.
    const drop = (): void => this.#side.dropSince(snapshot)
    this.#reader.watch.begin()
    if (!this.#writer.restore(snapshot, drop)) drop()
  }
  /** The store as it was. Throws `argumentInvalid` for no stamp that there was, `historyTrimmed` beyond the history kept. */
  at(globalStamp: number): PastStore {
    this.#writer.guard()
    const stamp = checkStamp('The global stamp', globalStamp, this.globalStamp)
    return new PastStore(stamp, this.#past)
  }
  /** What happened after a global stamp. Throws as `at` does. */
  changes(options: { readonly since: number }): readonly RecordChange[] {
    this.#writer.outside('changes')
    const since = checkStamp('The option since', options?.since, this.globalStamp)
    return recordChanges(this.#writer.history.since(since))
  }

  /** `commit` after each commit; `error` for what listeners and after-hooks throw. Returns the way to stop it. */
  on(event: 'commit' | 'error', listener: ((commit: CommitNotice) => void) | ((error: unknown) => void)): () => void {
    this.#writer.guard()
    if (typeof listener !== 'function') throw refused('The listener', 'a function', typeof listener)
    if (event === 'commit') return this.#writer.listeners.onCommit(listener as (commit: CommitNotice) => void)
    if (event === 'error') return this.#writer.listeners.onError(listener as (error: unknown) => void)
    throw refused('The event', '"commit" or "error"', `"${String(event)}"`)
  }

  call(name: string, ...args: unknown[]): unknown {
    return callStoreFunction(this.#writer, this.catalog.functions, `Store "${this.name}"`, name, this, args)
  }
  singleton(name: string): { call(name: string, ...args: unknown[]): unknown } {
    const functions = this.catalog.singletons.get(name)
    if (functions === undefined)
      throw new EntiaError('functionNotFound', { owner: `Store "${this.name}"`, name: String(name) })
    return {
      call: (method, ...args) => callStoreFunction(this.#writer, functions, `Singleton "${name}"`, method, this, args),
    }
  }

  /** What keeps the data of a store outside of it. Throws `argumentInvalid` for what is no store of this library. */
  static keepOf(store: unknown): StoreKeep {
    if (typeof store !== 'object' || store === null || !(#writer in store))
      throw refused('The store', 'one that createDataStore or openDump made', typeof store)
    return store.#keep
  }

  /** Where a store keeps who watches it. Throws `argumentInvalid` for what is no store of this library. */
  static watchOf(store: unknown): Watch {
    DataStore.keepOf(store)
    return (store as DataStore).#reader.watch
  }

  /** Canonical bytes of this moment. */
  dump(): Uint8Array {
    return this.#keep.dump()
  }
  verify(): void {
    this.#reader.enter()
    verifyStore(this.#writer)
  }
  close(): void {
    this.#writer.close()
    this.#side.clear()
  }
  [Symbol.dispose](): void {
    this.close()
  }
}

/**
 * Makes a store. The model is checked whole; a wrong one is refused with `modelInvalid`, naming class, attribute and remedy.
 * `clock` and `ids` are for tests that want time and ids of their own.
 */
export const createDataStore = ((options: DataStoreOptions) => {
  const settings = storeOptions(options)
  return new DataStore(buildCatalog(options as never), settings)
}) as unknown as CreateDataStore

/**
 * Makes a store from the bytes of `dump()`: every record, stamp, timestamp and sequence, in the same record order. Dataclasses are
 * given as to `createDataStore`; they must be those of the dump. Throws `dumpInvalid`, and then there is no store.
 */
export const openDump = ((
  bytes: Uint8Array | readonly Uint8Array[],
  options: OpenDumpOptions<DataStoreOptions['dataClasses'], unknown, unknown>,
) => {
  const settings = storeOptions(options)
  const dump = checkDump(bytes)
  const catalog = buildCatalog({ ...options, name: options.name ?? dump.name } as never)
  const store = new DataStore(catalog, settings)
  DataStore.keepOf(store).replace(dump, [])
  return store
}) as unknown as OpenDump
