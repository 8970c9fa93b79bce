import { EntiaError, type ErrorFactory, type ErrorTexts, isEntiaError } from '../../errors.ts'
import { isMedia, type Media, type StoredValue } from '../../value/types.ts'
import { textPieces } from '../../value/value-size.ts'

/** The table of CRC-32 as in zip files, by byte. */
const REMAINDERS: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++)
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/**
 * CRC-32 of bytes that come in pieces. It detects every change within 32 bits. Cost: O(bytes),
 * about 3 ns each.
 */
export class Checksum {
  #crc = 0xffffffff

  add(bytes: Uint8Array): this {
    let crc = this.#crc
    for (let i = 0; i < bytes.length; i++) crc = REMAINDERS[(crc ^ bytes[i]) & 255] ^ (crc >>> 8)
    this.#crc = crc
    return this
  }

  /** The checksum of all bytes so far, as 8 hexadecimal digits. */
  get digits(): string {
    return (~this.#crc >>> 0).toString(16).padStart(8, '0')
  }
}

/** The checksum of pieces of bytes in their order. */
export function checksum(...pieces: readonly Uint8Array[]): string {
  const sum = new Checksum()
  for (const bytes of pieces) sum.add(bytes)
  return sum.digits
}

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

export const LINE_FEED = 10
/** Bytes that are decoded in one step, extended to the end of the line. */
const CHUNK = 1_048_576

/**
 * The lines of a UTF-8 text in pieces, which must end with a line feed. Throws `dumpInvalid` for
 * bytes that are not UTF-8.
 */
export function* linesOf(pieces: Iterable<Uint8Array>): Generator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  /** The beginning of a line that continues in the next piece. */
  let begun: Uint8Array[] = []
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const next = piece.indexOf(LINE_FEED, Math.min(from + CHUNK, piece.length - 1))
      const feed = next < 0 ? piece.lastIndexOf(LINE_FEED) : next
      if (feed < from) {
        begun.push(piece.subarray(from))
        break
      }
      yield* decode(decoder, joined([...begun, piece.subarray(from, feed)])).split('\n')
      begun = []
      from = feed + 1
    }
  }
  if (begun.length > 0) yield decode(decoder, joined(begun))
  return undefined
}

function decode(decoder: { decode(bytes: Uint8Array): string }, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw dumpError('dumpInvalid', { problem: 'it is not UTF-8.' }, { cause: error })
  }
}

/** Errors of opening dumps and journals. */
export const DUMP_ERRORS: ErrorTexts<'dumpInvalid'> = {
  dumpInvalid: {
    errCode: 9057,
    message: (d) =>
      `The ${d.what ?? 'dump'} cannot be opened: ${d.problem}${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
}

export const dumpError: ErrorFactory<keyof typeof DUMP_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, DUMP_ERRORS[code])

/** Runs `read`, which reads the bytes of a file. Adds the path to its `dumpInvalid`. */
export function naming<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isEntiaError(error, 'dumpInvalid')) throw error
    const { details } = error
    throw dumpError(
      'dumpInvalid',
      { ...details, problem: `in ${path}: ${details.problem}` },
      { cause: error },
    )
  }
}
