import type { FilterValue, IterateOptions } from './async-store-types.ts'

// Groups of an asynchronous store. Types only.

/** One page of groups, and the total number of groups. */
export interface GroupPage<R> {
  readonly count: number
  /** Position of the first group, from 0. */
  readonly skip: number
  readonly groups: readonly R[]
}

/**
 * Groups of a selection that are described, and computed when a method needs them. `R` is the type
 * of the rows.
 */
export interface AsyncGrouping<R> extends AsyncIterable<R> {
  /** Adds a condition with `and`: ``having`count > ${10} and delay.average > 5` ``. */
  having(strings: TemplateStringsArray, ...values: readonly FilterValue[]): AsyncGrouping<R>
  /** Replaces the order, by members of a row: `orderBy('delay.average desc')`. */
  orderBy(text: string): AsyncGrouping<R>
  page(skip: number, top: number, signal?: AbortSignal): Promise<GroupPage<R>>
  first(): Promise<R | undefined>
  /** The number of groups. */
  count(): Promise<number>
  /** Reads all groups into one list. */
  toArray(options?: Pick<IterateOptions, 'signal'>): Promise<R[]>
}
