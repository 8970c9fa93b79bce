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
