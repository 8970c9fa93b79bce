import { isMedia } from '../value/media.ts'
import { textPieces } from '../value/text-pieces.ts'
import type { Media, StoredValue } from '../value/types.ts'
import { Checksum } from './checksum.ts'

/** Characters that are encoded in one step: a few milliseconds of work. */
export const PIECE_LENGTH = 262_144
/**
 * Bytes that are encoded as base64 in one step, a multiple of 3: as much work as a piece of text.
 */
const MEDIA_PIECE = 3 * 131_072
/** Media up to this size are encoded with the text around them. */
const SHORT_MEDIA = 1024

/**
 * Writes lines of JSON in UTF-8, each ended by a line feed, in pieces of bytes. Large texts and
 * media are split, so that only an object can make a piece much longer. Each method is a generator,
 * so that its caller can pause between two pieces.
 */
export class LineWriter {
  readonly #encoder = new TextEncoder()
  readonly #pieceLength: number
  readonly #checksum = new Checksum()
  #text = ''

  constructor(pieceLength = PIECE_LENGTH) {
    this.#pieceLength = pieceLength
  }

  /** The checksum of every byte so far. */
  get checksum(): string {
    return this.#checksum.digits
  }

  /** Writes a JSON value. */
  *line(line: unknown): Generator<Uint8Array, void> {
    yield* this.#add(`${JSON.stringify(line)}\n`)
  }

  /**
   * Writes a record as an array: `head`, the values, then `tail`. The values are an array of their
   * own unless `isFlat`. Media are an array of media type and base64.
   */
  *record(
    head: readonly number[],
    values: readonly StoredValue[],
    isFlat: boolean,
    tail?: readonly number[],
  ): Generator<Uint8Array, void> {
    if (!values.some((value) => this.#isLarge(value))) {
      const line: unknown[] = isFlat ? [...head, ...values] : [...head, values]
      if (tail !== undefined) line.push(tail)
      yield* this.line(line)
      return
    }
    this.#text += `[${head.join()},${isFlat ? '' : '['}`
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (i > 0) this.#text += ','
      if (isMedia(value)) yield* this.#media(value)
      else if (typeof value === 'string' && this.#isLarge(value)) yield* this.#longText(value)
      else yield* this.#add(JSON.stringify(value))
    }
    yield* this.#add(
      `${isFlat ? '' : ']'}${tail === undefined ? '' : `,${JSON.stringify(tail)}`}]\n`,
    )
  }

  #isLarge(value: StoredValue): boolean {
    return typeof value === 'string' ? value.length > this.#pieceLength : isMedia(value)
  }

  /** The last piece. */
  *rest(): Generator<Uint8Array, void> {
    if (this.#text !== '') yield this.#encode()
  }

  *#longText(value: string): Generator<Uint8Array, void> {
    this.#text += '"'
    // Do not split a pair of surrogates: JSON escapes a lone half.
    for (const piece of textPieces(value, this.#pieceLength))
      yield* this.#add(JSON.stringify(piece).slice(1, -1))
    this.#text += '"'
  }

  *#media(media: Media): Generator<Uint8Array, void> {
    const bytes = media.bytes()
    this.#text += `[${JSON.stringify(media.mediaType)},"`
    if (bytes.length <= SHORT_MEDIA) this.#text += String.fromCharCode(...base64Of(bytes))
    else {
      yield this.#encode()
      for (let from = 0; from < bytes.length; from += MEDIA_PIECE)
        yield this.#sum(base64Of(bytes.subarray(from, from + MEDIA_PIECE)))
    }
    this.#text += '"]'
  }

  *#add(text: string): Generator<Uint8Array, void> {
    this.#text += text
    if (this.#text.length >= this.#pieceLength) yield this.#encode()
  }

  #encode(): Uint8Array {
    const piece = this.#encoder.encode(this.#text)
    this.#text = ''
    return this.#sum(piece)
  }

  #sum(piece: Uint8Array): Uint8Array {
    this.#checksum.add(piece)
    return piece
  }
}

const DIGITS = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
)
const PADDING = '='.charCodeAt(0)

/**
 * The characters of base64. `btoa` takes a text; converting bytes to one takes longer than encoding
 * them here.
 */
function base64Of(bytes: Uint8Array): Uint8Array {
  const characters = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const group = (bytes[from] << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
    for (let i = 0; i < 4; i++) characters[to + i] = DIGITS[(group >> (18 - i * 6)) & 63]
  }
  for (let missing = (characters.length / 4) * 3 - bytes.length; missing > 0; missing--)
    characters[characters.length - missing] = PADDING
  return characters
}

/** Concatenates pieces of bytes. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
