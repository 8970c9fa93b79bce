import { textOfKey, type Wildcard } from '@entia/core/internal'

/** The pattern of LIKE for a wildcard. */
export function likePattern({ parts, anchoredStart, anchoredEnd }: Wildcard): string {
  const between = parts.map((part) => escaped(textOfKey(part))).join('%')
  return `${anchoredStart ? '' : '%'}${between}${anchoredEnd ? '' : '%'}`
}

/** LIKE gives these characters a meaning. */
const SPECIAL = /[\\%_]/g
const escaped = (text: string): string => text.replace(SPECIAL, '\\$&')

const LAST_POINT = 0x10ffff

/**
 * The first text, by code points, after all texts that begin with `beginning`; null if there is
 * none.
 */
export function textAfter(beginning: string): string | null {
  const points = Array.from(beginning)
  for (;;) {
    const point = points.pop()?.codePointAt(0)
    if (point === undefined) return null
    // Surrogates are not code points of a text.
    const next = point === 0xd7ff ? 0xe000 : point + 1
    if (point < LAST_POINT) return points.join('') + String.fromCodePoint(next)
  }
}

let wordBreaks: string | null = null

/**
 * A regular expression of PostgreSQL for runs of characters that are in no word. It lists the
 * letters and digits of this process, so that no table of the database decides what a word is.
 */
export function wordBreakPattern(): string {
  wordBreaks ??= `[^${wordCharacters()}]+`
  return wordBreaks
}

const WORD_CHARACTER = /^[\p{L}\p{N}]$/u

/** Letters and digits as ranges. Cost: a pass over all code points. */
function wordCharacters(): string {
  let ranges = ''
  let first = -1
  for (let point = 0; point <= LAST_POINT + 1; point++) {
    const isWord = point <= LAST_POINT && WORD_CHARACTER.test(String.fromCodePoint(point))
    if (isWord && first < 0) first = point
    if (isWord || first < 0) continue
    const last = point - 1
    ranges += String.fromCodePoint(first)
    if (last > first) ranges += `-${String.fromCodePoint(last)}`
    first = -1
  }
  return ranges
}
