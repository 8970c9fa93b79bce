import { EntiaError } from '@entia/core'
import { decodePercent, quoteAt, skipBlanks } from './percent.ts'

/** One parameter: its name and value percent-decoded once, the value still in the quotes it came in. */
export interface QueryParameter {
  readonly name: string
  readonly value: string
  /** The value was sent with a `+` in it, not with `%2B`. */
  readonly hasPlus: boolean
}

/**
 * Splits a query string (without its `?`) at the `&` outside quotes.
 *
 * Real clients write `$filter="a = 'x & y'"` without escaping, and URL libraries then escape the quotes but not the
 * `&`: so raw quotes and `%22`, `%27` count alike. A value that begins with a quote ends at the same quote before `&` or
 * the end; elsewhere a quote opens only where a word could begin, so the apostrophe of `O'Reilly` is a letter.
 * Names without `$` are not the protocol's: their values end at the next `&`, whatever they hold.
 * Cost    O(length): every character is looked at once.
 * Throws  quoteMissing, urlMalformed.
 */
export function splitQuery(query: string): readonly QueryParameter[] {
  const parameters: QueryParameter[] = []
  let at = 0
  while (at < query.length) {
    let nameEnd = at
    while (nameEnd < query.length && query[nameEnd] !== '=' && query[nameEnd] !== '&') nameEnd++
    const name = decodePercent(query.slice(at, nameEnd))
    const start = query[nameEnd] === '=' ? nameEnd + 1 : nameEnd
    const end = name.startsWith('$') ? valueEnd(query, start, name) : nextAmpersand(query, start)
    const raw = query.slice(start, end)
    if (name !== '' || raw !== '') parameters.push({ name, value: decodePercent(raw), hasPlus: raw.includes('+') })
    at = end + 1
  }
  return parameters
}

function nextAmpersand(query: string, start: number): number {
  const at = query.indexOf('&', start)
  return at < 0 ? query.length : at
}

function valueEnd(query: string, start: number, name: string): number {
  return quoteAt(query, start) === null ? bareEnd(query, start, name) : quotedEnd(query, start, name)
}

/**
 * The end of a value in quotes. An inner quote of the same kind should have been written as a `\u` escape; where it was
 * not, the reading that loses nothing wins: before `&$` or the end any such quote closes, before another `&` only one
 * that leaves the inner quotes paired, since a name without `$` would be ignored together with what it cut off.
 */
function quotedEnd(query: string, start: number, name: string): number {
  const opening = quoteAt(query, start)!
  let innerQuotes = 0
  let at = start + opening.width
  while (at < query.length) {
    const mark = quoteAt(query, at)
    if (mark === null || mark.quote !== opening.quote) {
      at += mark?.width ?? 1
      continue
    }
    const end = skipBlanks(query, at + mark.width)
    if (end === query.length || query.startsWith('&$', end) || query.startsWith('&%24', end)) return end
    if (query[end] === '&' && innerQuotes % 2 === 0) return end
    innerQuotes++
    at += mark.width
  }
  throw new EntiaError('quoteMissing', { parameter: name, quote: opening.quote })
}

function bareEnd(query: string, start: number, name: string): number {
  let at = start
  while (at < query.length) {
    if (query[at] === '&') return at
    const mark = quoteAt(query, at)
    if (mark === null || isInWord(query, start, at)) {
      at += mark?.width ?? 1
      continue
    }
    at += mark.width
    while (at < query.length && quoteAt(query, at)?.quote !== mark.quote) at++
    const closing = quoteAt(query, at)
    if (closing === null) throw new EntiaError('quoteMissing', { parameter: name, quote: mark.quote })
    at += closing.width
  }
  return at
}

/** True when the character before `at` belongs to a word, so that a quote at `at` is an apostrophe. */
function isInWord(query: string, start: number, at: number): boolean {
  if (at === start) return false
  if (at - 3 >= start && query[at - 3] === '%') {
    const byte = Number.parseInt(query.slice(at - 2, at), 16)
    if (!Number.isNaN(byte)) return byte >= 0x80 || /[\w]/.test(String.fromCharCode(byte))
  }
  return /[\p{L}\p{M}\p{N}_]/u.test(query[at - 1]!) || query.charCodeAt(at - 1) >= 0xd800
}
