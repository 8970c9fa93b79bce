/**
 * Writes questions as text: two are equal exactly when they ask the same. Predicates, orders and paths are written out; attributes,
 * dataclasses, functions and whatever else has an identity are numbered, and long lists given names. Lists in a question stay as they
 * are.
 */
export class Questions {
  readonly #numbers = new WeakMap<object, number>()
  /** What stands for long lists, which several questions of a turn hold: by list, and by what is in it. */
  readonly #lists = new WeakMap<readonly unknown[], string>()
  readonly #names = new Map<string, string>()
  #count = 0

  /** Cost: O(question). */
  textOf(question: unknown): string {
    switch (typeof question) {
      case 'string':
        return JSON.stringify(question)
      case 'object':
        return question === null ? 'null' : this.#objectText(question)
      case 'function':
        return this.#numberOf(question)
      default:
        return String(question)
    }
  }

  #objectText(question: object): string {
    if (Array.isArray(question)) return question.length < LONG ? this.#listText(question) : this.#longText(question)
    if (!isData(question)) return this.#numberOf(question)
    let text = '{'
    for (const name in question) text += `${name}:${this.textOf((question as Record<string, unknown>)[name])},`
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

/** Lists that are longer are given names. */
const LONG = 64

/** False for parts of the model and for databases, which lead to the whole of them, and for what has a class. */
function isData(thing: object): boolean {
  if ('owner' in thing || 'attributes' in thing || 'tableOf' in thing) return false
  const prototype = Object.getPrototypeOf(thing)
  return prototype === Object.prototype || prototype === null
}
