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
