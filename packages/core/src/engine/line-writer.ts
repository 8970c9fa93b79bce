/** Characters that are encoded at once. */
const CHUNK = 262_144

/** Lines of JSON in UTF-8, each ended by a line feed. No text is longer than a piece of them. */
export class LineWriter {
  readonly #encoder = new TextEncoder()
  readonly #chunks: Uint8Array[] = []
  #text = ''

  add(line: unknown): void {
    this.#text += `${JSON.stringify(line)}\n`
    if (this.#text.length >= CHUNK) this.#flush()
  }

  /** Everything so far. */
  bytes(): Uint8Array {
    this.#flush()
    const all = new Uint8Array(this.#chunks.reduce((length, chunk) => length + chunk.length, 0))
    let at = 0
    for (const chunk of this.#chunks) {
      all.set(chunk, at)
      at += chunk.length
    }
    return all
  }

  #flush(): void {
    if (this.#text === '') return
    this.#chunks.push(this.#encoder.encode(this.#text))
    this.#text = ''
  }
}
