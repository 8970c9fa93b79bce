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

const undoEscape = (code: string): string => String.fromCharCode(Number.parseInt(code.slice(1), 16))

/**
 * Undoes the escapes of what gives a text its structure: blanks, quotes, backslashes and brackets.
 * They mean the same raw and escaped. Others stay, so the text can still be decoded once.
 */
export function withRawMarks(text: string): string {
  return text.includes('%') ? text.replace(/%(?:0[9ad]|2[027]|5[b-d]|7[bd])/gi, undoEscape) : text
}

/** Undoes the escapes of blanks and quotes; see `withRawMarks`. */
export function withRawQuotes(text: string): string {
  return text.includes('%2') ? text.replace(/%2[027]/g, undoEscape) : text
}

/** Removes one pair of equal quotes; returns other text unchanged. */
export function unquote(text: string): string {
  const first = text[0]
  if (text.length < 2 || (first !== '"' && first !== "'") || text.at(-1) !== first) return text
  return text.slice(1, -1)
}
