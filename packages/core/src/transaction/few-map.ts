/** A map that is empty or holds one entry most of the time: the first entry costs no `Map`. Values are never undefined. */
export class FewMap<K, V> {
  #key: K | undefined = undefined
  #value: V | undefined = undefined
  #more: Map<K, V> | null = null

  get(key: K): V | undefined {
    if (this.#more !== null) return this.#more.get(key)
    return this.#value !== undefined && this.#key === key ? this.#value : undefined
  }

  set(key: K, value: V): void {
    if (this.#more !== null) this.#more.set(key, value)
    else if (this.#value === undefined || this.#key === key) {
      this.#key = key
      this.#value = value
    } else {
      this.#more = new Map<K, V>([
        [this.#key as K, this.#value],
        [key, value],
      ])
    }
  }

  delete(key: K): void {
    if (this.#more !== null) this.#more.delete(key)
    else if (this.#key === key) this.#value = undefined
  }
}
