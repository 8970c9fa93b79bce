/** Digits whose number is exact. */
const MAX_EXACT_DIGITS = 15
const whole = /^(?:0|[1-9]\d*)$/

/** Whole numbers below this have a bit each: 4 MiB at most. */
const MAX_BITS = 1 << 25

/** The distinct values of a column. Whole numbers take less time and memory than their texts. */
export class DistinctValues implements Iterable<string> {
  #bits: Uint8Array = new Uint8Array(1 << 10)
  #bitCount = 0
  readonly #wholes = new Set<number>()
  readonly #texts = new Set<string>()

  get size(): number {
    return this.#bitCount + this.#wholes.size + this.#texts.size
  }

  /** A value that is written in at most 15 digits, the first of which is not a needless zero. */
  addWhole(value: number): void {
    if (value >= MAX_BITS) {
      this.#wholes.add(value)
      return
    }
    const place = value >> 3
    if (place >= this.#bits.length) this.#grow(place)
    const bit = 1 << (value & 7)
    if ((this.#bits[place]! & bit) !== 0) return
    this.#bits[place]! |= bit
    this.#bitCount++
  }
  add(text: string): void {
    if (isWhole(text)) this.addWhole(Number(text))
    else this.#texts.add(text)
  }
  has(text: string): boolean {
    return isWhole(text) ? this.#hasWhole(Number(text)) : this.#texts.has(text)
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let value = 0; value < this.#bits.length * 8; value++)
      if (this.#hasWhole(value)) yield String(value)
    for (const value of this.#wholes) yield String(value)
    yield* this.#texts
  }

  #hasWhole(value: number): boolean {
    return value < MAX_BITS
      ? ((this.#bits[value >> 3] ?? 0) & (1 << (value & 7))) !== 0
      : this.#wholes.has(value)
  }

  #grow(place: number): void {
    const wider = new Uint8Array(Math.max(this.#bits.length * 2, place + 1))
    wider.set(this.#bits)
    this.#bits = wider
  }
}

const isWhole = (text: string): boolean => text.length <= MAX_EXACT_DIGITS && whole.test(text)
