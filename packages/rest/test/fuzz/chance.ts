/** Random choices from a seed: equal seeds repeat a run. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to, but excluding, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 up to, but excluding, `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  holds(probability: number): boolean {
    return this.next() < probability
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** A list of `lowest` to `highest` items. */
  several<T>(lowest: number, highest: number, make: () => T): T[] {
    return Array.from({ length: lowest + this.below(highest - lowest + 1) }, make)
  }
}
