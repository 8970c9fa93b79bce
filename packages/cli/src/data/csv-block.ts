import { isAscii } from 'node:buffer'
import type { StorageAttribute } from '@entia/core'
import { convertValue } from './convert-value.ts'
import type { RecordBlock } from './record-block.ts'

/** Digits whose number is exact. */
const MAX_EXACT_DIGITS = 15

/**
 * Rows of a CSV file, as bytes with the places of their cells. A number or a boolean is read from
 * the bytes; only other cells become texts.
 */
export class CsvBlock implements RecordBlock {
  readonly names: readonly string[]
  readonly count: number
  readonly #bytes: Buffer
  /** Where cells begin and end, row by row. The end of a quoted cell is `~end`. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #isAscii: boolean

  constructor(
    names: readonly string[],
    count: number,
    bytes: Buffer,
    starts: Int32Array,
    ends: Int32Array,
  ) {
    this.names = names
    this.count = count
    this.#bytes = bytes
    this.#starts = starts
    this.#ends = ends
    this.#isAscii = isAscii(bytes)
  }

  /**
   * The texts of a column are slices of one text that has no other cells: slices of the text of the
   * block would keep all of the file in memory.
   */
  values(column: number): readonly (string | null)[] {
    const own = Buffer.allocUnsafe(this.#bytes.length)
    const ends = new Int32Array(this.count)
    let end = 0
    for (let row = 0; row < this.count; row++)
      ends[row] = end = this.#copyPlain(this.cellAt(row, column), own, end)
    const text = own.toString('latin1', 0, end)
    return Array.from(ends, (to, row) => {
      const from = row === 0 ? 0 : ends[row - 1]!
      return from === to ? this.textAt(this.cellAt(row, column)) : text.slice(from, to)
    })
  }

  /** Copies the bytes of a cell without quotes and of ASCII only. Returns where they end. */
  #copyPlain(cell: number, target: Buffer, at: number): number {
    const bytes = this.#bytes
    const to = this.#ends[cell]!
    let end = at
    for (let from = this.#starts[cell]!; from < to; from++) {
      const byte = bytes[from]!
      if (byte > 127) return at
      target[end++] = byte
    }
    return end
  }

  converted(column: number, attribute: Pick<StorageAttribute, 'type'>): readonly unknown[] {
    switch (attribute.type) {
      case 'string':
      case 'date':
      case 'uuid':
        return this.values(column)
      case 'long':
      case 'long64':
      case 'number':
      case 'duration':
        return this.#numbers(column, attribute)
      default:
        return this.values(column).map((value) => convertValue(value, attribute))
    }
  }

  /** The number of a cell, for the methods below. */
  cellAt(row: number, column: number): number {
    return row * this.names.length + column
  }

  /** The text of a cell, null for an empty one. Two quotes are the empty text. */
  textAt(cell: number): string | null {
    const from = this.#starts[cell]!
    const to = this.#ends[cell]!
    if (to < 0) return this.#slice(from, ~to).replaceAll('""', '"')
    return from === to ? null : this.#slice(from, to)
  }

  /** The length of the text of a cell; -1 for an empty one. */
  lengthAt(cell: number): number {
    const from = this.#starts[cell]!
    const to = this.#ends[cell]!
    if (to === from) return -1
    return to > from && (this.#isAscii || !this.#hasOthers(from, to))
      ? to - from
      : this.textAt(cell)!.length
  }

  /** The number of a cell of at most 15 digits without needless zeros, otherwise -1. */
  wholeAt(cell: number): number {
    const from = this.#starts[cell]!
    const to = this.#ends[cell]!
    // The end of a quoted cell is negative.
    if (to <= from || to - from > MAX_EXACT_DIGITS) return -1
    const bytes = this.#bytes
    if (bytes[from] === ZERO && to - from > 1) return -1
    let number = 0
    for (let at = from; at < to; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) return -1
      number = number * 10 + digit
    }
    return number
  }

  #numbers(column: number, attribute: Pick<StorageAttribute, 'type'>): readonly unknown[] {
    const values: unknown[] = []
    for (let row = 0; row < this.count; row++) {
      const cell = this.cellAt(row, column)
      const whole = this.wholeAt(cell)
      values.push(whole >= 0 ? whole : convertValue(this.textAt(cell), attribute))
    }
    return values
  }

  /** Texts of their own: slices of the text of all cells would keep it in memory. */
  #slice(from: number, to: number): string {
    const isAscii = this.#isAscii || !this.#hasOthers(from, to)
    return this.#bytes.toString(isAscii ? 'latin1' : 'utf8', from, to)
  }

  #hasOthers(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#bytes[at]! > 127) return true
    return false
  }
}

const ZERO = 48
