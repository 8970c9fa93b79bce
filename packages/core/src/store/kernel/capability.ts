import type { CatalogOptions } from '../../model/build-catalog.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import type { Snapshot } from '../../model/store-types.ts'
import type { Clock, Ids } from '../../ports.ts'
import type { IndexSupport } from '../../query/index-pages.ts'
import type { TableQueries } from '../../query/queries.ts'
import type { Reader } from '../../query/reader.ts'
import { Selection } from '../../query/selection.ts'
import { describeFound, type Range, refused } from '../../value/check-options.ts'
import type { Writer } from '../../write/writer.ts'

/** Server state takes part in snapshots and restores through this interface. */
interface RestoreObserver {
  taken(snapshot: Snapshot): void
  /** Called before a restore undoes anything. */
  before(): void
  /**
   * Called after the data is restored and before listeners run, also if nothing had changed.
   */
  undone(snapshot: Snapshot): void
}

/** A store from the inside: what capabilities work with. */
export interface StoreHandle {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly ids: Ids
  readonly composition: Composition
  readonly writer: Writer
  readonly reader: Reader
  /** The public store. */
  readonly store: object
  restores: RestoreObserver | null
  /** Called when the store closes. */
  readonly closing: (() => void)[]
  /** Called when all data has been replaced. */
  readonly replaced: (() => void)[]
}

/** By public store and by reader. */
const handles = new WeakMap<object, StoreHandle>()

/** The handle of a new store, which `handleOf` finds from now on. */
export function createHandle(
  parts: Omit<StoreHandle, 'restores' | 'closing' | 'replaced'>,
): StoreHandle {
  const handle = { ...parts, restores: null, closing: [], replaced: [] }
  handles.set(parts.store, handle)
  handles.set(parts.reader, handle)
  return handle
}

/**
 * The handle of a store, given the store or its reader. Throws `argumentInvalid` for anything else.
 */
export function handleOf(store: unknown): StoreHandle {
  const handle = typeof store === 'object' && store !== null ? handles.get(store) : undefined
  if (handle === undefined)
    throw refused(
      'The store',
      'one that createDataStore or openDump created',
      isOfAnotherCopy(store)
        ? 'one of another copy of @entia/core: install one copy only, which "npm ls @entia/core" shows'
        : describeFound(store),
    )
  return handle
}

/** A store of this copy has a handle. */
const isOfAnotherCopy = (store: unknown): boolean =>
  typeof store === 'object' && store !== null && 'catalog' in store && 'transact' in store

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

/**
 * The handle of the store that a reader belongs to, or of a store. Undefined for a reader of the
 * past, and for a store of another copy of the package.
 */
export const handleOfReader = (reader: object): StoreHandle | undefined => handles.get(reader)

/**
 * The value of a store in `values`: created on first use, and freed with the store. A capability
 * keeps its own `values`: a `WeakMap` has no effect, so bundlers drop the unused ones.
 */
export function perStore<T>(
  values: WeakMap<StoreHandle, T>,
  handle: StoreHandle,
  create: (handle: StoreHandle) => T,
): T {
  let value = values.get(handle)
  if (value === undefined) values.set(handle, (value = create(handle)))
  return value
}

/**
 * What a store is created with, as given: its model, ports, and groups of numbers that are not
 * named here.
 */
export interface GivenOptions extends Omit<CatalogOptions, 'name'> {
  readonly name?: string
  readonly clock?: Clock
  readonly ids?: Ids
}

/** A group of numbers among the options of a store, as `history: { commits, bytes }`. */
export interface OptionGroup<T extends object> {
  readonly defaults: T
  /** The range of one of the numbers. */
  rangeOf(name: string): Range
}

/** The groups of `O`, by name. */
export type OptionGroups<O> = { readonly [G in keyof O]: OptionGroup<O[G] & object> }

/**
 * A part of a store that applications may leave out. Members are methods and accessors with the
 * object as `this`; they are added to the classes of the stores that have the capability. `O` is
 * its options without gaps.
 */
export interface Capability<Name extends string = string, O = Untyped> {
  readonly name: Name
  /** Members of the store. */
  readonly store?: object
  /** Members of its dataclasses. */
  readonly table?: object
  /** Members of dataclasses that only read too: those of views and of the past. */
  readonly queries?: object
  /** Members of selections. */
  readonly selection?: object
  /** Its options of `createStore`, by name. */
  readonly options?: OptionGroups<O>
  /** For the capability that plans and reads with indexes. */
  readonly indexes?: IndexSupport
  /**
   * Prepares a store, which is complete but for its capabilities. Takes its own options, checked
   * and without gaps.
   */
  install?(handle: StoreHandle, options: O): void
}

type Class = new (...args: never[]) => object

/**
 * The classes of the stores that have the same capabilities. They are extended once, so that such
 * stores share their classes, and V8 what it learns about them.
 */
export class Composition {
  readonly capabilities: readonly Capability[]
  readonly Selection: typeof Selection
  readonly indexes: IndexSupport | null
  readonly #extended = new Map<Class, Class>()

  constructor(capabilities: readonly Capability[]) {
    // A copy: a list that its program changes later would stand for other classes.
    this.capabilities = [...capabilities]
    this.indexes = capabilities.find(({ indexes }) => indexes)?.indexes ?? null
    this.Selection = this.#extend(Selection, ({ selection }) => [selection])
  }

  /**
   * A class of dataclasses with the members for reading, and those of `table` where it is that of
   * the store.
   */
  tableClass<T extends new (...args: never[]) => TableQueries>(base: T, isOfStore = false): T {
    return this.#extend(base, ({ queries, table }) => (isOfStore ? [queries, table] : [queries]))
  }
  storeClass<T extends Class>(base: T): T {
    return this.#extend(base, ({ store }) => [store])
  }

  #extend<T extends Class>(
    base: T,
    membersOf: (capability: Capability) => readonly (object | undefined)[],
  ): T {
    const known = this.#extended.get(base)
    if (known !== undefined) return known as T
    const extended = { [base.name]: class extends (base as Class) {} }[base.name]
    for (const object of this.capabilities.flatMap(membersOf)) {
      for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(object ?? {})))
        Object.defineProperty(extended.prototype, name, { ...member, enumerable: false })
    }
    this.#extended.set(base, extended)
    return extended as T
  }
}

const known: Composition[] = []

const isSameList = (one: readonly Capability[], other: readonly Capability[]): boolean =>
  one.length === other.length && one.every((capability, at) => capability === other[at])

/** The classes for some capabilities: made for the first store that has them. */
export function compositionOf(capabilities: readonly Capability[]): Composition {
  let composition = known.find((each) => isSameList(each.capabilities, capabilities))
  if (composition === undefined) known.push((composition = new Composition(capabilities)))
  return composition
}
