import type { Key } from './selection.ts'

/** A change of a result; entities by key. */
interface Delta {
  readonly entered: Iterable<readonly [Key, unknown]>
  readonly changed: Iterable<readonly [Key, unknown]>
  readonly left: readonly Key[]
  /** All keys in order; null if the order is unchanged. */
  readonly order: readonly Key[] | null
}

type IsSame = (one: unknown, other: unknown) => boolean

/**
 * The entities of a result, in order. An entity that did not change stays the same object, and the
 * list stays the same array until it changes.
 */
export class Rows {
  /** Frozen. */
  list: readonly unknown[] = Object.freeze([])
  readonly #entities = new Map<Key, unknown>()
  #order: readonly Key[] = []

  /** The entities by key, in order. */
  entries(): (readonly [Key, unknown])[] {
    return this.#order.map((key) => [key, this.#entities.get(key)])
  }

  /**
   * Takes a whole result. An entity that `isSame` as before is kept. Returns whether the list
   * changed. Cost: O(result).
   */
  replace(result: Iterable<readonly [Key, unknown]>, isSame: IsSame): boolean {
    const fresh = new Map(result)
    let isChanged = false
    for (const key of this.#entities.keys())
      if (!fresh.has(key)) isChanged = this.#entities.delete(key)
    for (const [key, entity] of fresh) if (this.#set(key, entity, isSame)) isChanged = true
    return this.#arrange([...fresh.keys()], isChanged)
  }

  /** Applies a change in the same way. Cost: O(result). */
  apply({ entered, changed, left, order }: Delta, isSame: IsSame): boolean {
    let isChanged = false
    for (const key of left) if (this.#entities.delete(key)) isChanged = true
    for (const entries of [entered, changed])
      for (const [key, entity] of entries) if (this.#set(key, entity, isSame)) isChanged = true
    return this.#arrange(order ?? this.#order, isChanged)
  }

  #set(key: Key, entity: unknown, isSame: IsSame): boolean {
    if (this.#entities.has(key) && isSame(this.#entities.get(key), entity)) return false
    this.#entities.set(key, entity)
    return true
  }

  #arrange(order: readonly Key[], isChanged: boolean): boolean {
    const isMoved =
      order.length !== this.#order.length || order.some((key, at) => key !== this.#order[at])
    if (!isChanged && !isMoved) return false
    this.#order = order
    this.list = Object.freeze(order.map((key) => this.#entities.get(key)))
    return true
  }
}
