/**
 * Writes questions as text: two are equal exactly when they ask the same. Predicates, orders and paths are written out; attributes,
 * dataclasses, functions and whatever else has an identity are numbered.
 */
export class Questions {
  readonly #numbers = new WeakMap<object, number>()
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
    if (Array.isArray(question)) return `[${question.map((part) => this.textOf(part)).join()}]`
    if (!isData(question)) return this.#numberOf(question)
    return `{${Object.entries(question)
      .map(([name, part]) => `${name}:${this.textOf(part)}`)
      .join()}}`
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

/** False for parts of the model and for databases, which lead to the whole of them, and for what has a class. */
function isData(thing: object): boolean {
  if ('owner' in thing || 'attributes' in thing || 'tableOf' in thing) return false
  const prototype = Object.getPrototypeOf(thing)
  return prototype === Object.prototype || prototype === null
}
