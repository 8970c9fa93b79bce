import { restError } from '../errors/rest-error.ts'

/**
 * Percent-decodes a piece of an address once: `%252e` becomes `%2e`. `+` stays a plus. Throws
 * urlMalformed for a truncated escape and for invalid UTF-8.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw restError('urlMalformed', { problem: 'a percent escape is cut or is not UTF-8' })
  }
}

/** A quote in undecoded text, raw or escaped; `width` in characters. */
export interface QuoteMark {
  readonly quote: "'" | '"'
  readonly width: 1 | 3
}

/** The quote that starts at `at`, or null. */
export function quoteAt(text: string, at: number): QuoteMark | null {
  const unit = text[at]
  if (unit === "'" || unit === '"') return { quote: unit, width: 1 }
  if (unit !== '%' || text[at + 1] !== '2') return null
  if (text[at + 2] === '7') return { quote: "'", width: 3 }
  return text[at + 2] === '2' ? { quote: '"', width: 3 } : null
}

/** Removes one pair of equal quotes; returns other text unchanged. */
export function unquote(text: string): string {
  const first = text[0]
  if (text.length < 2 || (first !== '"' && first !== "'") || text.at(-1) !== first) return text
  return text.slice(1, -1)
}

/** The first position from `at` on without a blank, raw or escaped. */
export function skipBlanks(query: string, at: number): number {
  for (;;) {
    if (query[at] === ' ') at++
    else if (query.startsWith('%20', at)) at += 3
    else return at
  }
}
