/**
 * The time limit of the reference, which filters and sorts plain rows: for large tables it compares
 * fewer answers.
 */
const answeringMilliseconds = 5_000

/** The answers of the reference to the operations of a mix, and its final state. */
export class ExpectedAnswers {
  #mix
  #data
  /** The answers to the first operations, as text. @type {readonly string[]} */
  texts

  /**
   * @param {import('./mixes/mix.js').Mix} mix
   * @param {number} rows
   * @param {number} most   the maximum number of answers
   */
  constructor(mix, rows, most) {
    this.#mix = mix
    this.#data = mix.makeData(rows)
    this.texts = this.#answer(most)
  }

  #answer(most) {
    const draw = this.#mix.operations(this.#data)
    const reference = this.#mix.reference(this.#data)
    const texts = []
    const end = performance.now() + answeringMilliseconds
    while (texts.length < most && performance.now() < end) {
      const operation = draw()
      const answer = reference.run(operation)
      texts.push(this.#mix.kinds.get(operation.kind).describe?.(answer, operation) ?? '')
    }
    return texts
  }

  /**
   * The first answer that differs from the reference.
   * @param {readonly string[]} found
   * @returns {string | null}
   */
  findFault(found) {
    const place = found.findIndex((text, index) => text !== this.texts[index])
    if (place < 0) return null
    const draw = this.#mix.operations(this.#data)
    for (let i = 0; i < place; i++) draw()
    const expectedLines = this.texts[place].split('\n')
    const foundLines = found[place].split('\n')
    const line = expectedLines.findIndex((text, index) => text !== foundLines[index])
    return (
      `operation ${place + 1}, ${JSON.stringify(draw())}: expected ${expectedLines.length} lines, found ${foundLines.length}; ` +
      `expected ${JSON.stringify(expectedLines.at(line))}, found ${JSON.stringify(foundLines.at(line) ?? null)}`
    )
  }

  /** The checksum of all rows after `count` operations. */
  digestAfter(count) {
    const draw = this.#mix.operations(this.#data)
    const reference = this.#mix.reference(this.#data)
    let writes = []
    for (let i = 0; i < count && this.#mix.isReadOnly !== true; i++) {
      const operation = draw()
      const { isWrite, isReset } = this.#mix.kinds.get(operation.kind)
      if (isReset) writes = []
      else if (isWrite) writes.push(operation)
    }
    for (const operation of writes) reference.run(operation)
    return this.#mix.digest(reference.all())
  }
}
