import type { AnyDataClass, FunctionDefinition, Untyped } from '../model/definition.ts'
import type { Clock, Ids } from '../ports.ts'
import type { IndexSupport } from '../selection/indexing.ts'
import type { Range } from '../value/check-options.ts'
import type { StoreHandle } from './handle.ts'

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
