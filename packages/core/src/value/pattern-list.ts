import { foldText, inCodePointOrder, textKey } from './compare.ts'
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
const wildcardTail = ({ parts, anchoredEnd }: Wildcard): string =>
  anchoredEnd ? parts[parts.length - 1] : ''

/** The prefix, as a key, of a pattern that is exactly `prefix@`; else null. */
export function wildcardPrefix(wildcard: Wildcard): string | null {
  const isPrefix = wildcard.parts.length === 1 && wildcard.anchoredStart && !wildcard.anchoredEnd
  return isPrefix ? wildcard.parts[0] : null
}

/** One word of a search: its comparison key, and whether it is a prefix. */
export interface Keyword {
  readonly key: string
  readonly isPrefix: boolean
}

const WORDS = /[\p{L}\p{N}]+/gu
const KEYWORDS = /([\p{L}\p{N}]+)([@*]?)/gu

/**
 * The words of a text as comparison keys under the collation, in order, with repetitions. Every
 * run of letters and digits is a word.
 */
export function wordsOf(text: string, collation: Collation = 'folded'): string[] {
  const folded = collation === 'folded' ? foldText(text) : text
  return Array.from(folded.matchAll(WORDS), ([word]) => inCodePointOrder(word))
}

/**
 * The words of a keyword search. With `wildcards`, a word directly followed by `@` or `*` is a
 * prefix.
 */
export function parseKeywords(
  text: string,
  wildcards = true,
  collation: Collation = 'folded',
): Keyword[] {
  const folded = collation === 'folded' ? foldText(text) : text
  return Array.from(folded.matchAll(KEYWORDS), ([, word, mark]) => ({
    key: inCodePointOrder(word),
    isPrefix: wildcards && mark !== '',
  }))
}

/**
 * True when the text holds all of the words, in any order. Without a word, nothing matches. Most
 * texts without the words are refused before their words are split.
 */
export function matchesKeyword(
  words: readonly Keyword[],
  text: string,
  collation: Collation = 'folded',
): boolean {
  if (words.length === 0) return false
  const whole = textKey(text, collation)
  for (const { key } of words) if (!whole.includes(key)) return false
  const found = wordsOf(text, collation)
  return words.every(({ key, isPrefix }) =>
    found.some((word) => (isPrefix ? word.startsWith(key) : word === key)),
  )
}

/** Up to so many patterns with the same head are tried one by one. */
const MAX_TRIED_PATTERNS = 4

/**
 * Many patterns, arranged by their heads (the text before the first wildcard) and tails (the text
 * behind the last one). A text is compared only with patterns whose head and tail it has. Cost of
 * creation: a sort; of a text: a binary search, and a look-up for each length of a tail.
 */
export class PatternList {
  /** The heads, each once, ascending. The first is empty if a pattern begins with a wildcard. */
  readonly heads: readonly string[]
  /** For each head: the longest other head that it begins with, or -1. */
  readonly #shorter: Int32Array
  /** The patterns in the order of their heads; where those of each head begin, and the end. */
  readonly #patterns: readonly Wildcard[]
  readonly #starts: readonly number[]
  /** By head, for heads with many patterns. */
  readonly #byTail = new Map<number, TailedPatterns>()

  constructor(wildcards: readonly Wildcard[]) {
    this.#patterns = wildcards.slice().sort(byHead)
    const heads: string[] = []
    const starts: number[] = []
    for (let i = 0; i < this.#patterns.length; i++) {
      const head = wildcardHead(this.#patterns[i])
      if (heads.length > 0 && head === heads[heads.length - 1]) continue
      heads.push(head)
      starts.push(i)
    }
    starts.push(this.#patterns.length)
    this.heads = heads
    this.#starts = starts
    this.#shorter = new Int32Array(heads.length)
    for (let i = 0; i < heads.length; i++) {
      this.#shorter[i] = this.#headOf(heads[i], i - 1)
      if (starts[i + 1] - starts[i] > MAX_TRIED_PATTERNS)
        this.#byTail.set(i, new TailedPatterns(this.#patterns.slice(starts[i], starts[i + 1])))
    }
  }

  /**
   * True if `test` returns true for one of the patterns that a text with this comparison key may
   * match. It is called for every match.
   */
  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    // Texts with the same beginning are adjacent: the last head before the text begins with all
    // heads of the text.
    let at = this.#headOf(key, this.#lastUpTo(key))
    for (; at >= 0; at = this.#shorter[at]) if (this.#someOf(at, key, test)) return true
    return false
  }

  #someOf(head: number, key: string, test: (wildcard: Wildcard) => boolean): boolean {
    const end = this.#starts[head + 1]
    if (end - this.#starts[head] > MAX_TRIED_PATTERNS)
      return (this.#byTail.get(head) as TailedPatterns).some(key, test)
    for (let i = this.#starts[head]; i < end; i++) if (test(this.#patterns[i])) return true
    return false
  }

  /**
   * The longest head of a text among the head at a place and the heads that this one begins with;
   * -1 for none.
   */
  #headOf(key: string, at: number): number {
    while (at >= 0 && !key.startsWith(this.heads[at])) at = this.#shorter[at]
    return at
  }

  #lastUpTo(key: string): number {
    const { heads } = this
    let low = 0
    let high = heads.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (heads[middle] <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

function byHead(a: Wildcard, b: Wildcard): number {
  const left = wildcardHead(a)
  const right = wildcardHead(b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** Patterns by their tails. */
class TailedPatterns {
  readonly #byTail = new Map<string, Wildcard[]>()
  readonly #lengths: readonly number[]

  constructor(patterns: readonly Wildcard[]) {
    for (const wildcard of patterns) {
      const tail = wildcardTail(wildcard)
      const group = this.#byTail.get(tail)
      if (group === undefined) this.#byTail.set(tail, [wildcard])
      else group.push(wildcard)
    }
    this.#lengths = [...new Set(Array.from(this.#byTail.keys(), (tail) => tail.length))].sort(
      (a, b) => a - b,
    )
  }

  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    for (const length of this.#lengths) {
      if (length > key.length) return false
      if (this.#byTail.get(key.slice(key.length - length))?.some(test) === true) return true
    }
    return false
  }
}

const LISTS = new WeakMap<readonly Wildcard[], PatternList>()

/** The patterns of a test, arranged when the test is first planned or run. They never change. */
export function patternList(wildcards: readonly Wildcard[]): PatternList {
  let list = LISTS.get(wildcards)
  if (list === undefined) LISTS.set(wildcards, (list = new PatternList(wildcards)))
  return list
}
