/**
 * Writes memo keys as text. Two texts are equal exactly when the keys are. Predicates, orders and
 * paths are written out. Attributes, dataclasses, functions and other objects with an identity get
 * a number, long lists a name. A list in a key must not change.
 */
export class MemoKeys {
  readonly #numbers = new WeakMap<object, number>()
  /** The names of long lists, which several keys of a time slice hold: by list, and by content. */
  readonly #lists = new WeakMap<readonly unknown[], string>()
  readonly #names = new Map<string, string>()
  #count = 0

  /** Cost: O(memo key). */
  textOf(memoKey: unknown): string {
    switch (typeof memoKey) {
      case 'string':
        return JSON.stringify(memoKey)
      case 'object':
        return memoKey === null ? 'null' : this.#objectText(memoKey)
      case 'function':
        return this.#numberOf(memoKey)
      default:
        return String(memoKey)
    }
  }

  #objectText(memoKey: object): string {
    if (Array.isArray(memoKey))
      return memoKey.length < MAX_WRITTEN_LIST ? this.#listText(memoKey) : this.#longText(memoKey)
    if (!isData(memoKey)) return this.#numberOf(memoKey)
    let text = '{'
    for (const name in memoKey)
      text += `${name}:${this.textOf((memoKey as Record<string, unknown>)[name])},`
    return `${text}}`
  }

  #listText(list: readonly unknown[]): string {
    let text = '['
    for (let i = 0; i < list.length; i++) text += `${this.textOf(list[i])},`
    return `${text}]`
  }

  #longText(list: readonly unknown[]): string {
    let name = this.#lists.get(list)
    if (name === undefined) {
      const text = this.#listText(list)
      name = this.#names.get(text) ?? `~${this.#names.size}`
      this.#names.set(text, name)
      this.#lists.set(list, name)
    }
    return name
  }

  #numberOf(thing: object): string {
    let number = this.#numbers.get(thing)
    if (number === undefined) {
      number = ++this.#count
      this.#numbers.set(thing, number)
    }
    return `#${number}`
  }
}

/** Longer lists are given names. */
const MAX_WRITTEN_LIST = 64

/**
 * False for parts of the model and for databases, which reach the whole model, and for instances of
 * a class.
 */
function isData(thing: object): boolean {
  if ('owner' in thing || 'attributes' in thing || 'tableOf' in thing) return false
  const prototype = Object.getPrototypeOf(thing)
  return prototype === Object.prototype || prototype === null
}
