/** Random choices from a seed: the same seed gives the same choices on every machine. */
export class Random {
  #state: number

  constructor(seed: number, part: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) | 0
    for (let i = 0; i < 4; i++) this.#next()
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * end)
  }

  chance(share: number): boolean {
    return this.#next() / 0x1_0000_0000 < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]
  }

  /** Shuffles a list. */
  shuffled<T>(items: readonly T[]): T[] {
    const out = [...items]
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const swap = out[i]
      out[i] = out[j]
      out[j] = swap
    }
    return out
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
}
