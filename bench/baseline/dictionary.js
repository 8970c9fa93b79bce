/** Maps texts to codes and back; codes follow the order of appearance. */
export class Dictionary {
  /** @type {string[]} */
  texts = []
  #codes = new Map()

  /** The code of a text; a new text gets a new code. */
  encode(text) {
    let code = this.#codes.get(text)
    if (code === undefined) {
      code = this.texts.length
      this.#codes.set(text, code)
      this.texts.push(text)
    }
    return code
  }

  /** The code of a text, or undefined. */
  find(text) {
    return this.#codes.get(text)
  }
}

/** The texts of a dictionary in ascending order, with their codes, and the rank of each code. */
export function orderOf(dictionary) {
  const { texts } = dictionary
  const codes = texts.map((_, code) => code).sort((a, b) => (texts[a] < texts[b] ? -1 : 1))
  const ranks = new Uint16Array(texts.length)
  for (let rank = 0; rank < codes.length; rank++) ranks[codes[rank]] = rank
  return { texts: codes.map((code) => texts[code]), codes, ranks }
}
