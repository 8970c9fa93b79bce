import type { TableQueries } from '../read/table-queries.ts'
import type { IndexSupport } from '../selection/indexing.ts'
import { Selection } from '../selection/selection.ts'
import type { Capability } from './capability.ts'
import type { StoreClasses } from './handle.ts'

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
