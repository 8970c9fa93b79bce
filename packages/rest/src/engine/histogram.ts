import type { Sample } from './metric-family.ts'

/** Upper bounds in seconds: from half a millisecond to ten seconds. */
const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** Durations by the buckets of Prometheus. Memory: 15 numbers. */
export class Histogram {
  /** The last bucket counts durations beyond every bound. */
  readonly #counts = new Float64Array(BOUNDS.length + 1)
  #milliseconds = 0
  #count = 0

  /** Cost: a few comparisons. */
  observe(milliseconds: number): void {
    let at = 0
    while (at < BOUNDS.length && milliseconds > BOUNDS[at]! * 1000) at++
    this.#counts[at]!++
    this.#milliseconds += milliseconds
    this.#count++
  }

  /** Cumulative buckets, the sum in seconds, and the count. */
  samples(labels: { readonly [name: string]: string } = {}): readonly Sample[] {
    let soFar = 0
    const buckets = BOUNDS.map((seconds, at): Sample => {
      soFar += this.#counts[at]!
      return { suffix: '_bucket', labels: { ...labels, le: String(seconds) }, value: soFar }
    })
    return [
      ...buckets,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.#count },
      { suffix: '_sum', labels, value: this.#milliseconds / 1000 },
      { suffix: '_count', labels, value: this.#count },
    ]
  }
}
