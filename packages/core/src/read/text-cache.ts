/** Characters that a text may take of a cache's room: longer ones evict others sooner. */
export const CHARACTERS_PER_TEXT = 256

/**
 * What was compiled from texts, by text. Two generations: when the recent one is full it becomes
 * the older one, and texts that are not used again are dropped with it. A look-up costs one hash of
 * the text, and eviction costs nothing.
 */
export class TextCache<V> {
  #recent = new Map<string, V>()
  #older = new Map<string, V>()
  #characters = 0
  readonly #size: number

  /** Keeps at most `size` texts. */
  constructor(size: number) {
    this.#size = Math.max(1, size >> 1)
  }

  get(text: string): V | undefined {
    return this.#recent.get(text) ?? this.#promoted(text)
  }
  set(text: string, value: V): void {
    if (this.#recent.size >= this.#size || this.#characters >= this.#size * CHARACTERS_PER_TEXT) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#characters = 0
    }
    this.#recent.set(text, value)
    this.#characters += text.length
  }

  #promoted(text: string): V | undefined {
    const value = this.#older.get(text)
    if (value !== undefined) this.set(text, value)
    return value
  }
}
