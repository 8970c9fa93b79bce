import { formatDate } from './date.ts'
import {
  type AttributeType,
  type Collation,
  isMedia,
  type StoredValue,
  sameMedia,
} from './types.ts'
import { textPieces } from './value-size.ts'

// Comparison of values: folded text, comparison keys, the total order of scalars, equality.

const COMBINING_MARKS = /\p{M}/gu
/**
 * Longer texts are folded in pieces: one replacement of many millions of characters can exhaust the
 * memory.
 */
const PIECE_LENGTH = 1 << 13

/**
 * Folds a text: removes case, combining marks and the two forms of small sigma, which folded
 * comparisons ignore. Folding a folded text changes nothing, and the fold of a concatenation is the
 * concatenation of the folds. Cost: O(length); ASCII takes a fast path.
 */
export function foldText(text: string): string {
  return foldAscii(text) ?? foldWide(text)
}

const NOT_ASCII = /[\x80-\uffff]/
const MOVED_UNIT = /[\ud800-\uffff]/

/** Folds ASCII text; null for any other. */
const foldAscii = (text: string): string | null =>
  NOT_ASCII.test(text) ? null : text.toLowerCase()

function foldWide(text: string): string {
  if (text.length > PIECE_LENGTH) return foldLong(text)
  // Lower, upper, lower: a capital sharp s becomes "ss" only through its small form, a ligature
  // only through its capitals.
  const folded = withoutMarks(text).toLowerCase().toUpperCase().toLowerCase()
  // Case mapping can add marks, and its choice of sigma depends on the next character.
  return withoutMarks(folded).replaceAll('ς', 'σ')
}

/**
 * Folds code point by code point. Each is looked up once, as folding does not depend on its
 * neighbours.
 */
function foldLong(text: string): string {
  const folds = new Map<number, string>()
  return inPieces(text, (piece) => {
    const units: number[] = []
    for (let i = 0; i < piece.length; i++) {
      const code = piece.codePointAt(i) as number
      if (code > 0xffff) i++
      let fold = folds.get(code)
      if (fold === undefined) {
        fold = foldText(String.fromCodePoint(code))
        folds.set(code, fold)
      }
      for (let at = 0; at < fold.length; at++) units.push(fold.charCodeAt(at))
    }
    return String.fromCharCode(...units)
  })
}

/**
 * The comparison key of a text: keys are equal, ordered by `<`, begin with or contain each other
 * exactly as the texts do under the collation. Order is by code point, where plain `<` on text
 * would be by code unit. Takes any text. The key is for comparisons, not for display. Cost:
 * O(length).
 */
export function textKey(text: string, collation: Collation): string {
  if (collation !== 'folded') return inCodePointOrder(text)
  return foldAscii(text) ?? inCodePointOrder(foldWide(text))
}

/**
 * Moves the code units above the surrogates below them (and the surrogates up), one unit for one,
 * so that `<` on the result is the order of code points. Text without such units is returned as it
 * is.
 */
export function inCodePointOrder(text: string): string {
  return MOVED_UNIT.test(text) ? mapUnits(text, movedUnit) : text
}

/**
 * The text that `inCodePointOrder` made a key of: the exact or folded text itself. For engines that
 * order text by code point without help.
 */
export function textOfKey(key: string): string {
  return MOVED_UNIT.test(key) ? mapUnits(key, originalUnit) : key
}

/**
 * The text with other units. Joins all units of a piece at once: a text that is appended unit by
 * unit takes 32 bytes for each until it is read.
 */
function mapUnits(text: string, map: (unit: number) => number): string {
  const mapPiece = (piece: string): string => {
    const units: number[] = new Array(piece.length)
    for (let i = 0; i < units.length; i++) units[i] = map(piece.charCodeAt(i))
    return String.fromCharCode(...units)
  }
  return text.length > PIECE_LENGTH ? inPieces(text, mapPiece) : mapPiece(text)
}

function movedUnit(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}
function originalUnit(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xf800 ? unit - 0x2000 : unit + 0x800
}

/** Applies `change` to a text in pieces of whole code points. */
const inPieces = (text: string, change: (piece: string) => string): string =>
  Array.from(textPieces(text, PIECE_LENGTH), change).join('')

function withoutMarks(text: string): string {
  return text.normalize('NFD').replace(COMBINING_MARKS, '')
}

/** Rank of a type in the order of mixed values: null, booleans, text, numbers. */
function rankOf(value: null | boolean | number | string): number {
  switch (typeof value) {
    case 'object':
      return 0
    case 'boolean':
      return 1
    case 'string':
      return 2
    default:
      return 3
  }
}

/**
 * The one total order of scalars: null first, then false, true, then text, then numbers. Text is
 * compared as it is, so give comparison keys (`textKey`). Returns a negative number, zero or a
 * positive number, as for `sort`.
 */
export function compareScalars(
  a: null | boolean | number | string,
  b: null | boolean | number | string,
): number {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  const byType = rankOf(a) - rankOf(b)
  if (byType !== 0) return byType
  // Both are booleans or both are text: two nulls are equal above.
  return (a as string | boolean) < (b as string | boolean) ? -1 : 1
}

/**
 * True when two stored values of one attribute are the same value: objects by content in any order
 * of properties, images and BLOBs by type and bytes. Cost: O(size), O(1) for scalars and shared
 * objects.
 */
export function sameValue(a: StoredValue, b: StoredValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isMedia(a) || isMedia(b)) return isMedia(a) && isMedia(b) && sameMedia(a, b)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((element: StoredValue, i) => sameValue(element, b[i]))
  }
  const left = Object.entries(a as { readonly [name: string]: StoredValue })
  const right = new Map(Object.entries(b as { readonly [name: string]: StoredValue }))
  if (left.length !== right.size) return false
  return left.every(([name, value]) => {
    const other = right.get(name)
    return other !== undefined && sameValue(value, other)
  })
}

/** A stored value as the API returns it: dates as ISO 8601 text, everything else unchanged. */
export function present(type: AttributeType, dateOnly: boolean, stored: StoredValue): unknown {
  return type === 'date' && typeof stored === 'number' ? formatDate(stored, dateOnly) : stored
}
