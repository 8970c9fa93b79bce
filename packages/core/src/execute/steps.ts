import type { WordColumn } from '../storage/column.ts'
import type { Dictionary } from '../storage/dictionary.ts'
import type { Pass } from '../storage/text-prefixes.ts'
import type { WordOrder } from '../storage/word-order.ts'
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
    if (this.#slices !== null) return mergeSorted(this, count, compare)
    return new Int32Array(count).map((_, at) => at).sort(compare)
  }

  /** Loops by the name that storage gives them. */
  get pass(): Pass {
    return (_name, count, start, body) => this.loop(count, start, body)
  }
}

/** Identifies the steps of one computation, as long as a sliced read keeps its results. */
class Scope {}

type Compare = (a: number, b: number) => number

/** Positions per run that is sorted before runs are merged. */
const RUN = 64

/**
 * The positions below `count` in the order of a comparison without ties. Runs are sorted, then
 * merged two by two, pass after pass, each in blocks. A time slice may end after any block.
 */
function mergeSorted(steps: Steps, count: number, compare: Compare): Int32Array {
  const start = (): Int32Array => Int32Array.from({ length: count }, (_, at) => at)
  const runs = Math.ceil(count / RUN)
  const sortRuns = (positions: Int32Array, from: number, to: number): void => {
    for (let run = from; run < to; run++)
      positions.subarray(run * RUN, (run + 1) * RUN).sort(compare)
  }
  let sorted = steps.loop(runs, start, sortRuns, 0, RUN)
  for (let width = RUN; width < count; width *= 2) {
    const source = sorted
    const room = (): Int32Array => new Int32Array(count)
    const merge = (target: Int32Array, from: number, to: number): void =>
      mergeInto(target, source, width, from, to, compare)
    sorted = steps.loop(count, room, merge)
  }
  return sorted
}

/**
 * Merges the sorted runs of `width` in `source` two by two, and writes the places [`from`, `to`) of
 * the result.
 */
function mergeInto(
  target: Int32Array,
  source: Int32Array,
  width: number,
  from: number,
  to: number,
  compare: Compare,
): void {
  let at = from
  while (at < to) {
    const start = at - (at % (2 * width))
    const middle = Math.min(source.length, start + width)
    const end = Math.min(source.length, middle + width)
    let left = start + placesOfLeft(source, start, middle, end, at - start, compare)
    let right = middle + (at - start) - (left - start)
    const last = Math.min(to, end)
    for (; at < last; at++) {
      const isLeft = right >= end || (left < middle && compare(source[left], source[right]) < 0)
      target[at] = isLeft ? source[left++] : source[right++]
    }
  }
}

/**
 * How many of the first `count` places of two merged runs, [`start`, `middle`) and [`middle`,
 * `end`), come from the first run.
 */
function placesOfLeft(
  source: Int32Array,
  start: number,
  middle: number,
  end: number,
  count: number,
  compare: Compare,
): number {
  let low = Math.max(0, count - (end - middle))
  let high = Math.min(count, middle - start)
  while (low < high) {
    const left = (low + high) >>> 1
    // Too few when the next of the first run comes before the last taken of the second.
    if (compare(source[start + left], source[middle + count - left - 1]) < 0) low = left + 1
    else high = left
  }
  return low
}

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
  const { keys } = dictionary
  const steps = Steps.in(slices, () => ['words', memoKey])
  const codes = steps.once(() => dictionary.codes())
  const compare = (a: number, b: number): number => {
    const left = keys[codes[a]]
    const right = keys[codes[b]]
    return left < right ? -1 : left > right ? 1 : codes[a] - codes[b]
  }
  const positions = steps.sort(codes.length, compare)
  return dictionary.order(Array.from(positions, (at) => codes[at]))
}

/** The codes of the words with keys in [low, high), in order of their keys. */
export function wordsBetween(column: WordColumn, low: string, high: string | null): number[] {
  const order = column.dictionary.order()
  const end = high === null ? Number.POSITIVE_INFINITY : order.labelAtOrAfter(high)
  return order.codesBetween(order.labelAtOrAfter(low), end)
}
