import type { WordColumn } from '../storage/column.ts'
import type { Dictionary } from '../storage/dictionary.ts'
import { compareSortSteps } from '../storage/slot-sorter.ts'
import { type BuildSteps, runSteps } from '../storage/text-prefixes.ts'
import { codesInOrder, type WordOrder } from '../storage/word-order.ts'
import type { Slots, TimeSlices } from './time-slices.ts'

/**
 * The steps of one computation, in the order in which it runs them. A sliced read keeps the
 * progress of each step under its number, so no step needs a memo key of its own.
 *
 * Each time slice must run the same steps in the same order, as far as it comes: they may depend on
 * nothing but the memo key, the records, and the results of earlier steps. A computation that keeps
 * a result elsewhere, as an index does, uses memo keys. The body of a loop runs no steps.
 */
export class Steps {
  readonly #slices: TimeSlices | null
  readonly #scope: Scope | null
  #next = 0

  /** The steps of every read without time slices: nothing is kept. */
  static readonly atOnce = new Steps(null, null)

  /** `memoKey` and `slots` identify the computation within a sliced read. */
  static in(
    slices: TimeSlices | null,
    memoKey: () => readonly unknown[],
    slots: Slots | null = null,
  ): Steps {
    return slices === null
      ? Steps.atOnce
      : new Steps(
          slices,
          slices.once(memoKey(), () => new Scope(), slots),
        )
  }

  constructor(slices: TimeSlices | null, scope: Scope | null) {
    this.#slices = slices
    this.#scope = scope
  }

  /** Returns what `find` returns, and runs it once. It may run steps itself. */
  once<T>(find: () => T): T {
    if (this.#slices === null) return find()
    const step = this.#next++
    const { found, next } = this.#slices.once([this.#scope, step], () => ({
      found: find(),
      next: this.#next,
    }))
    this.#next = next
    return found
  }

  /**
   * Runs `body` over [0, `count`), in a sliced read in blocks, until it returns false. A body that
   * runs code of the application must only write values by place: a time slice may end within a
   * block, which then runs again. For `visits` and `weight` see `TimeSlices.loop`.
   */
  loop<S>(
    count: number,
    start: () => S,
    body: (state: S, from: number, to: number) => unknown,
    visits = 0,
    weight = 1,
  ): S {
    if (this.#slices !== null)
      return this.#slices.loop(
        [this.#scope, this.#next++],
        null,
        count,
        start,
        body,
        visits,
        weight,
      )
    const state = start()
    if (count > 0) body(state, 0, count)
    return state
  }

  /** What `valueAt` returns for each number below `count`. */
  map<T>(count: number, valueAt: (at: number) => T, visits = 0): T[] {
    return this.loop(
      count,
      () => new Array<T>(count),
      (out, from, to) => {
        for (let at = from; at < to; at++) out[at] = valueAt(at)
      },
      visits,
    )
  }

  /** Positions below `count` in the order of a comparison without ties. */
  sort(count: number, compare: (a: number, b: number) => number): Int32Array {
    const positions = (): Int32Array => new Int32Array(count).map((_, at) => at)
    return this.#slices === null
      ? positions().sort(compare)
      : this.run(() => compareSortSteps(positions(), compare))
  }

  /**
   * Takes all steps of a generator, which runs no steps of this computation. A time slice may end
   * after each of them.
   */
  run<T>(start: () => BuildSteps<T>): T {
    return this.#slices === null
      ? runSteps(start())
      : this.#slices.build([this.#scope, this.#next++], start)
  }
}

/** Identifies the steps of one computation, as long as a sliced read keeps its results. */
class Scope {}

/** The order of a column's words. A sliced read that finds none sorts them in blocks. */
export const wordOrder = (
  { attribute, dictionary }: WordColumn,
  slices: TimeSlices | null,
): WordOrder => orderOf(dictionary, attribute, slices)

/** The order of a dictionary's words. `memoKey` identifies the dictionary. */
export function orderOf(
  dictionary: Dictionary,
  memoKey: unknown,
  slices: TimeSlices | null,
): WordOrder {
  if (slices === null || dictionary.hasOrder) return dictionary.order()
  const steps = Steps.in(slices, () => ['words', memoKey])
  return dictionary.order(steps.run(() => codesInOrder(dictionary)))
}

/** The codes of the words with keys in [low, high), in order of their keys. */
export function wordsBetween(column: WordColumn, low: string, high: string | null): number[] {
  const order = column.dictionary.order()
  const end = high === null ? Number.POSITIVE_INFINITY : order.labelAtOrAfter(high)
  return order.codesBetween(order.labelAtOrAfter(low), end)
}
