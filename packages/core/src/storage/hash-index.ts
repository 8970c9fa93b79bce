import { BYTES_PER_MAP_ENTRY } from '../value/value-size.ts'
import { TextHash, type TextOf } from './text-hash.ts'

/**
 * Value -> record number, for keys and unique attributes: integers of a dense range in one vector,
 * texts in a hash over the column that holds them, all else in a map.
 */
export class HashIndex {
  /** Record number + 1 by integer value; 0 is none. */
  #dense: Int32Array = new Int32Array(0)
  #denseCount = 0
  #map = new Map<number | boolean, number>()
  readonly #texts: TextHash

  /**
   * `textOf` returns the text of an entered record number, and must do so until the text is
   * deleted.
   */
  constructor(textOf: TextOf) {
    this.#texts = new TextHash(textOf)
  }

  get size(): number {
    return this.#denseCount + this.#map.size + this.#texts.size
  }

  /** Memory, about. Cost: O(1). */
  get bytes(): number {
    return this.#dense.byteLength + this.#map.size * BYTES_PER_MAP_ENTRY + this.#texts.bytes
  }

  /** The record that holds the value, or -1. */
  find(value: string | number | boolean): number {
    if (typeof value === 'string') return this.#texts.find(value)
    if (typeof value === 'number') {
      const dense = this.#dense
      if (value >= 0 && value < dense.length && Number.isInteger(value)) return dense[value] - 1
    }
    return this.#map.get(value) ?? -1
  }

  set(value: string | number | boolean, slot: number): void {
    if (typeof value === 'string') {
      this.#texts.set(value, slot)
      return
    }
    if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) {
      if (value >= this.#dense.length && value < 1024 + 4 * this.size) this.#extend(value + 1)
      if (value < this.#dense.length) {
        if (this.#dense[value] === 0) this.#denseCount++
        this.#dense[value] = slot + 1
        return
      }
    }
    this.#map.set(value, slot)
  }

  delete(value: string | number | boolean): void {
    if (typeof value === 'string') this.#texts.delete(value)
    else if (
      typeof value === 'number' &&
      value >= 0 &&
      value < this.#dense.length &&
      Number.isInteger(value)
    ) {
      if (this.#dense[value] !== 0) this.#denseCount--
      this.#dense[value] = 0
    } else this.#map.delete(value)
  }

  clear(): void {
    this.#dense = new Int32Array(0)
    this.#denseCount = 0
    this.#map.clear()
    this.#texts.clear()
  }

  /** Takes over the entries of another index, which must not be used afterwards. Cost O(1). */
  adopt(other: HashIndex): void {
    this.#dense = other.#dense
    this.#denseCount = other.#denseCount
    this.#map = other.#map
    this.#texts.adopt(other.#texts)
  }

  /**
   * True where there is room for so many more values. A `Map` holds 2^24 entries at most, which
   * must not end a commit half-way.
   */
  canHold(extra: number): boolean {
    return this.#map.size + extra <= 16777216 || this.#denseCount > 0 || this.#texts.size > 0
  }

  /** Prepares the vector for integer values up to `max`, where they are dense enough. */
  reserve(max: number, expected: number): void {
    if (max >= this.#dense.length && max < 1024 + 4 * (this.size + expected)) this.#extend(max + 1)
  }

  /** Room for so many more texts. */
  reserveTexts(extra: number): void {
    this.#texts.reserve(extra)
  }

  /** Every pair, in no particular order. */
  *entries(): IterableIterator<[string | number | boolean, number]> {
    for (let value = 0; value < this.#dense.length; value++)
      if (this.#dense[value] !== 0) yield [value, this.#dense[value] - 1]
    yield* this.#map
    yield* this.#texts.entries()
  }

  #extend(length: number): void {
    const grown = new Int32Array(
      Math.max(length, Math.min(this.#dense.length * 2, 1024 + 4 * this.size), 64),
    )
    grown.set(this.#dense)
    this.#dense = grown
    for (const [value, slot] of this.#map) {
      if (
        typeof value === 'number' &&
        value >= 0 &&
        value < grown.length &&
        Number.isInteger(value)
      ) {
        grown[value] = slot + 1
        this.#denseCount++
        this.#map.delete(value)
      }
    }
  }
}
