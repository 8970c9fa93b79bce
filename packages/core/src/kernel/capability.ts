import type { AnyDataClass, FunctionDefinition, Untyped } from '../model/definition.ts'
import type { Clock, Ids } from '../ports.ts'
import type { IndexSupport } from '../query/index-pages.ts'
import type { TableQueries } from '../query/queries.ts'
import { Selection } from '../query/selection.ts'
import type { Range } from '../value/check-options.ts'
import type { StoreClasses, StoreHandle } from './handle.ts'

type Functions = { readonly [name: string]: FunctionDefinition }

/**
 * What a store is created with, as given: its model, ports, and groups of numbers that are not
 * named here.
 */
export type GivenOptions = {
  readonly name?: string
  readonly dataClasses: readonly AnyDataClass[]
  readonly functions?: Functions
  readonly singletons?: { readonly [name: string]: Functions }
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
export class Composition implements StoreClasses {
  readonly capabilities: readonly Capability[]
  readonly Selection: typeof Selection
  readonly indexes: IndexSupport | null
  readonly #extended = new Map<Class, Class>()

  constructor(capabilities: readonly Capability[]) {
    this.capabilities = capabilities
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
  one === other ||
  (one.length === other.length && one.every((capability, at) => capability === other[at]))

/** The classes for some capabilities: made for the first store that has them. */
export function compositionOf(capabilities: readonly Capability[]): Composition {
  let composition = known.find((each) => isSameList(each.capabilities, capabilities))
  if (composition === undefined) known.push((composition = new Composition(capabilities)))
  return composition
}
