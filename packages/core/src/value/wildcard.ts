import { textKey } from './text-key.ts'
import type { Collation } from './types.ts'

/**
 * A pattern of literal parts with any run of characters between them. `parts` are comparison keys,
 * none of them empty; `anchoredStart`: the text begins with the first part. `anchoredEnd`: it ends
 * with the last part.
 */
export interface Wildcard {
  readonly parts: readonly string[]
  readonly anchoredStart: boolean
  readonly anchoredEnd: boolean
}

/**
 * Reads `@` and `*` as "any run of characters"; null when the text holds neither. `hasEscapes`: a
 * backslash makes the next character stand for itself. Cost: O(length).
 */
export function parseWildcard(
  text: string,
  collation: Collation,
  hasEscapes = false,
): Wildcard | null {
  if (!text.includes('@') && !text.includes('*')) return null
  const parts: string[] = []
  let from = 0
  let anchoredStart = false
  let anchoredEnd = false
  for (let at = 0; at <= text.length; at++) {
    const isEnd = at === text.length
    if (hasEscapes && text.charCodeAt(at) === BACKSLASH) {
      at = Math.min(at + 1, text.length - 1)
      continue
    }
    if (!isEnd && !isWildcard(text.charCodeAt(at))) continue
    // A piece can fold to nothing (a lone accent); the wildcard beside it then stands at the end of
    // the pattern.
    const written = text.slice(from, at)
    const literal = hasEscapes ? unescaped(written) : written
    const piece = literal === '' ? '' : textKey(literal, collation)
    if (piece !== '') {
      parts.push(piece)
      if (from === 0) anchoredStart = true
      if (isEnd) anchoredEnd = true
    }
    from = at + 1
  }
  // Every wildcard is escaped.
  if (hasEscapes && parts.length === 1 && anchoredStart && anchoredEnd) return null
  return { parts, anchoredStart, anchoredEnd }
}

const BACKSLASH = 92
/** A text without the backslashes before characters that stand for themselves. */
export const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, '$1')

const AT = 64
const STAR = 42

/** True for the code unit of `@` or `*`. */
export const isWildcard = (unit: number): boolean => unit === AT || unit === STAR

/**
 * True when the text with this comparison key matches the pattern. The leftmost place of each part
 * is always a best choice, so there is no backtracking: no pattern takes exponential time.
 */
export function matchesWildcard(wildcard: Wildcard, key: string): boolean {
  const { parts } = wildcard
  let first = 0
  let last = parts.length
  let from = 0
  let to = key.length
  if (wildcard.anchoredStart) {
    const head = parts[first++]
    if (!key.startsWith(head)) return false
    from = head.length
  }
  if (wildcard.anchoredEnd) {
    const tail = parts[--last]
    to -= tail.length
    if (to < from || !key.endsWith(tail)) return false
  }
  for (; first < last; first++) {
    const part = parts[first]
    const at = key.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
    if (from > to) return false
  }
  return true
}

/** The beginning of every matching text; empty if the pattern begins with a wildcard. */
export const wildcardHead = ({ parts, anchoredStart }: Wildcard): string =>
  anchoredStart ? parts[0] : ''

/** The end of every matching text; empty if the pattern ends with a wildcard. */
export const wildcardTail = ({ parts, anchoredEnd }: Wildcard): string =>
  anchoredEnd ? parts[parts.length - 1] : ''

/** The prefix, as a key, of a pattern that is exactly `prefix@`; else null. */
export function wildcardPrefix(wildcard: Wildcard): string | null {
  const isPrefix = wildcard.parts.length === 1 && wildcard.anchoredStart && !wildcard.anchoredEnd
  return isPrefix ? wildcard.parts[0] : null
}
