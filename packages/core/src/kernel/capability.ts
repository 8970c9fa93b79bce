import type { Range } from '../value/check-options.ts'
import type { StoreHandle } from './handle.ts'

/** Options by name, as `createStore` was given them. */
export type GivenOptions = { readonly [name: string]: unknown }

/** A group of numbers among the options of a store, as `history: { commits, bytes }`. */
export interface OptionGroup {
  readonly defaults: object
  /** The range of one of the numbers. */
  rangeOf(name: string): Range
}

/**
 * A part of a store that applications may leave out. Members are methods and accessors with the object as `this`; they are added to
 * the classes of the stores that have the capability.
 */
export interface Capability<Name extends string = string> {
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
  readonly options?: { readonly [group: string]: OptionGroup }
  /** Prepares a store, which is complete but for its capabilities. Takes its own options, checked and without gaps. */
  install?(handle: StoreHandle, options: { readonly [group: string]: object }): void
}
