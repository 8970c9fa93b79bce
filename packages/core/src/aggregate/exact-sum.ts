import type { Steps } from '../execute/steps.ts'
import { wideSum } from './fold-numbers.ts'

/**
 * The sum of doubles, rounded once, so that the order of the addends does not matter. It is
 * infinite only if the true sum exceeds the range of doubles. `values` is read a second time if a
 * partial sum exceeds that range.
 */
export function exactSum(values: Iterable<number>): number {
  const sums = new PartialSums()
  for (const value of values) sums.add(value)
  return sums.total() ?? wideSum(values)
}

/** The same for the numbers at the places below `count`, in a sliced read in blocks. */
export function exactSumAt(
  steps: Steps,
  count: number,
  numberAt: (at: number) => number | null,
): number {
  const noSums = (): PartialSums => new PartialSums()
  const sums = steps.loop(
    count,
    noSums,
    (all, from, to) => {
      for (let at = from; at < to; at++) {
        const number = numberAt(at)
        if (number !== null) all.add(number)
      }
    },
    1,
  )
  const values = function* (): IterableIterator<number> {
    for (let at = 0; at < count; at++) {
      const number = numberAt(at)
      if (number !== null) yield number
    }
  }
  return sums.total() ?? steps.once(() => wideSum(values()))
}

/**
 * Partial sums that do not overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
 */
class PartialSums {
  readonly #partials: number[] = []
  // A separate length: truncating the array costs more than an addition.
  #size = 0

  add(value: number): void {
    const partials = this.#partials
    const size = this.#size
    let x = value
    let kept = 0
    for (let i = 0; i < size; i++) {
      let y = partials[i]
      if (Math.abs(x) < Math.abs(y)) {
        const swap = x
        x = y
        y = swap
      }
      const high = x + y
      const low = y - (high - x)
      if (low !== 0) partials[kept++] = low
      x = high
    }
    partials[kept] = x
    this.#size = kept + 1
  }

  /** Null if a partial sum exceeds the range of doubles; the whole sum may not. */
  total(): number | null {
    const partials = this.#partials
    let at = this.#size - 1
    if (at < 0) return 0
    let high = partials[at--]
    if (!Number.isFinite(high)) return null
    let low = 0
    while (at >= 0) {
      const x = high
      const y = partials[at--]
      high = x + y
      low = y - (high - x)
      if (low !== 0) break
    }
    // A half-way case is rounded by the sign of the remaining partial sum.
    if (at >= 0 && ((low < 0 && partials[at] < 0) || (low > 0 && partials[at] > 0))) {
      const y = low * 2
      const x = high + y
      if (y === x - high) high = x
    }
    return high + 0
  }
}
