import type { ConditionNode } from '@entia/core'

/** Slow reads of one shape: the same dataclass, filter without values, and order. */
export interface ShapeFigures {
  readonly dataClass: string
  /** Null without a filter. */
  readonly condition: ConditionNode | null
  readonly filter: string | null
  readonly orderBy: string | null
  readonly calls: number
  readonly milliseconds: number
  /** Calls with a known number of found entities, and the sum of these numbers. */
  readonly counted: number
  readonly found: number
  /** Entities of the dataclass, and whether the last plan read them all; null before a plan. */
  readonly plan: { readonly entities: number; readonly readsEverything: boolean } | null
}

/** Shapes that are kept: the least recently slow one is dropped first. */
const MAX_SHAPES = 200

/** What is kept of the slow reads of a process. Memory: as long as 200 filters. */
export class ShapeStatistics {
  readonly #shapes = new Map<string, ShapeFigures>()

  /** Returns the key of the shape. */
  add(
    shape: Pick<ShapeFigures, 'dataClass' | 'condition' | 'filter' | 'orderBy'>,
    milliseconds: number,
    found: number | null,
  ): string {
    const key = JSON.stringify([shape.dataClass, shape.filter, shape.orderBy])
    const known = this.#shapes.get(key)
    this.#put(key, {
      ...shape,
      calls: (known?.calls ?? 0) + 1,
      milliseconds: (known?.milliseconds ?? 0) + milliseconds,
      counted: (known?.counted ?? 0) + (found === null ? 0 : 1),
      found: (known?.found ?? 0) + (found ?? 0),
      plan: known?.plan ?? null,
    })
    return key
  }

  planned(key: string, plan: NonNullable<ShapeFigures['plan']>): void {
    const known = this.#shapes.get(key)
    if (known !== undefined) this.#shapes.set(key, { ...known, plan })
  }

  get shapes(): readonly ShapeFigures[] {
    return [...this.#shapes.values()]
  }

  #put(key: string, figures: ShapeFigures): void {
    this.#shapes.delete(key)
    this.#shapes.set(key, figures)
    const [oldest] = this.#shapes.keys()
    if (this.#shapes.size > MAX_SHAPES && oldest !== undefined) this.#shapes.delete(oldest)
  }
}
