/** Pieces that are kept as they arrive: nearly every body has fewer. */
const MAX_LOOSE = 16
const BLOCK_BYTES = 16_384

/**
 * The pieces of an arriving body. A chunked body may arrive a byte at a time, and each piece is an
 * object of some hundred bytes. Beyond a few, pieces are copied into blocks, so that a body takes
 * little more memory than its bytes.
 */
export class BodyPieces {
  size = 0
  readonly #pieces: Uint8Array[] = []
  /** Free bytes at the end of the last block. */
  #free = 0

  add(piece: Uint8Array): void {
    this.size += piece.length
    if (this.#pieces.length < MAX_LOOSE) {
      this.#pieces.push(piece)
      return
    }
    for (let at = 0; at < piece.length; ) {
      if (this.#free === 0) {
        this.#pieces.push(new Uint8Array(BLOCK_BYTES))
        this.#free = BLOCK_BYTES
      }
      const part =
        at === 0 && piece.length <= this.#free ? piece : piece.subarray(at, at + this.#free)
      this.#pieces.at(-1)?.set(part, BLOCK_BYTES - this.#free)
      this.#free -= part.length
      at += part.length
    }
  }

  clear(): void {
    this.size = 0
    this.#free = 0
    this.#pieces.length = 0
  }

  /**
   * All bytes as one array. A single piece is returned as it is; it may be a view of a larger block
   * of the host.
   */
  joined(): Uint8Array {
    if (this.#pieces.length === 1) return this.#pieces[0]!
    const whole = new Uint8Array(this.size)
    let at = 0
    for (const piece of this.#pieces) {
      // The last block may be partly filled.
      whole.set(at + piece.length > this.size ? piece.subarray(0, this.size - at) : piece, at)
      at += piece.length
    }
    return whole
  }
}
