import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { Snapshot } from '../model/store-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { Clock, Ids } from '../ports.ts'
import type { TableQueries } from '../query/queries.ts'
import type { Reader } from '../query/reader.ts'
import { refused } from '../value/check-options.ts'
import type { Writer } from '../write/writer.ts'

/** Server state takes part in snapshots and restores through this interface. */
export interface RestoreObserver {
  taken(snapshot: Snapshot): void
  /** Called before a restore undoes anything. */
  before(): void
  /**
   * Called after the data is restored and before listeners run, also if nothing had changed.
   */
  undone(snapshot: Snapshot): void
}

/** The classes that capabilities have extended. */
export interface StoreClasses {
  readonly capabilities: readonly { readonly name: string }[]
  /** A class of dataclasses with the members for reading. */
  tableClass<T extends new (...args: never[]) => TableQueries>(base: T): T
}

/** A store from the inside: what capabilities work with. */
export class StoreHandle {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly ids: Ids
  readonly composition: StoreClasses
  readonly writer: Writer
  readonly reader: Reader
  /** The public store. */
  readonly store: object
  /** The public object of a dataclass. */
  readonly publicTable: (dataClass: ClassModel) => DataClassCore<Untyped, Untyped, Untyped>
  restores: RestoreObserver | null = null
  /** Called when the store closes. */
  readonly closing: (() => void)[] = []
  /** Called when all data has been replaced. */
  readonly replaced: (() => void)[] = []

  constructor(
    parts: Pick<
      StoreHandle,
      'catalog' | 'clock' | 'ids' | 'composition' | 'writer' | 'reader' | 'store' | 'publicTable'
    >,
  ) {
    this.catalog = parts.catalog
    this.clock = parts.clock
    this.ids = parts.ids
    this.composition = parts.composition
    this.writer = parts.writer
    this.reader = parts.reader
    this.store = parts.store
    this.publicTable = parts.publicTable
    handles.set(parts.store, this)
    handles.set(parts.reader, this)
  }
}

/** By public store and by reader. */
const handles = new WeakMap<object, StoreHandle>()

/**
 * The handle of a store, given the store or its reader. Throws `argumentInvalid` for anything else.
 */
export function handleOf(store: unknown): StoreHandle {
  const handle = typeof store === 'object' && store !== null ? handles.get(store) : undefined
  if (handle === undefined)
    throw refused('The store', 'one that createDataStore or openDump created', typeof store)
  return handle
}

/**
 * Checks that a store has the capabilities that a function needs. Throws `argumentInvalid`, which
 * names the missing ones.
 */
export function needCapabilities(store: object, by: string, needed: readonly string[]): void {
  const has = handles.get(store)?.composition.capabilities.map(({ name }) => name)
  const missing = needed.filter((name) => has?.includes(name) === false)
  if (missing.length === 0) return
  throw refused(
    `The store of ${by}`,
    `one with the capabilities ${missing.map((name) => `"${name}"`).join(', ')}`,
    'one without them. Add them to createStore, or use createDataStore of @entia/core',
  )
}

/** The handle of the store that a reader belongs to; undefined for a reader of the past. */
export const handleOfReader = (reader: object): StoreHandle | undefined => handles.get(reader)

/** A value for each store: created on first use, and freed with the store. */
export function perStore<T>(create: (handle: StoreHandle) => T): (handle: StoreHandle) => T {
  const values = new WeakMap<StoreHandle, T>()
  return (handle) => {
    let value = values.get(handle)
    if (value === undefined) values.set(handle, (value = create(handle)))
    return value
  }
}
