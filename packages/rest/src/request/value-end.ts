import { findQuotedParts, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { canBeRead } from './filter-text.ts'
import { decodePercent, type QuoteMark, quoteAt } from './percent.ts'

/** Parameters that hold a filter. */
export const FILTERS: ReadonlySet<string> = new Set(['$filter', '$having', '$savedfilter'])

/**
 * The end of a parameter's value: a `&`, or the end of the query string.
 *
 * An encoder writes `&` inside a value as `%26`, so its values end at the next `&`. People and URL
 * libraries leave it unescaped: `$filter="name === 'x & y'"`, or `%22name === 'x & y'%22`. Values
 * of such clients are read by their own grammar: `$params` as JSON, a filter by its quotes, any
 * value within the quotes around it. Raw and escaped quotes are equivalent.
 *
 * Takes `start`: the start of the value; `isForm`: whether `+` is a blank in it.
 *
 * Cost O(length of the value); of a filter with quotes, O(the rest of the query).
 *
 * Throws quoteMissing.
 */
export function valueEnd(query: string, start: number, name: string, isForm: boolean): number {
  if (!name.startsWith('$')) return nextAmpersand(query, start)
  const json = name === '$params' ? jsonEnd(query, start, isForm) : null
  if (json !== null) return json
  const opening = quoteAt(query, start)
  if (opening !== null)
    return (
      (FILTERS.has(name) ? conditionsEnd(query, start, opening, name, isForm) : null) ??
      quotedEnd(query, start, opening, name, isForm)
    )
  return FILTERS.has(name) ? filterEnd(query, start, name, isForm) : nextAmpersand(query, start)
}

function nextAmpersand(query: string, start: number): number {
  const at = query.indexOf('&', start)
  return at < 0 ? query.length : at
}

const OPENERS: ReadonlySet<string> = new Set('[{')

/**
 * The end of a JSON array or object, with or without quotes around it; null if there is none.
 * Quotes and `&` inside its texts belong to the texts.
 */
function jsonEnd(query: string, start: number, isForm: boolean): number | null {
  let at = skipBlanks(query, start, isForm)
  const around = quoteAt(query, at)
  if (around !== null) at = skipBlanks(query, at + around.width, isForm)
  if (!OPENERS.has(signAt(query, at))) return null
  let depth = 0
  let inText = false
  do {
    const sign = signAt(query, at)
    at += widthAt(query, at)
    if (inText) {
      if (sign === '\\') at += widthAt(query, at)
      else if (sign === '"') inText = false
    } else if (sign === '"') inText = true
    else if (OPENERS.has(sign)) depth++
    else if (sign === ']' || sign === '}') depth--
    else if (sign === '&') return null
  } while (depth > 0 && at < query.length)
  if (depth > 0) return null
  at = skipBlanks(query, at, isForm)
  if (around !== null) {
    const closing = quoteAt(query, at)
    if (closing?.quote !== around.quote) return null
    at = skipBlanks(query, at + closing.width, isForm)
  }
  return at >= query.length || query[at] === '&' ? at : null
}

/**
 * The end of a quoted value. An inner quote of the same kind should be a `\u` escape. If it is not,
 * the interpretation that loses nothing counts: before `&$` or the end, any such quote closes the
 * value; before another `&` only one that leaves the inner quotes paired, since a name without `$`
 * would be ignored together with the rest of the value.
 */
function quotedEnd(
  query: string,
  start: number,
  opening: QuoteMark,
  name: string,
  isForm: boolean,
): number {
  let innerQuotes = 0
  let at = start + opening.width
  while (at < query.length) {
    const mark = quoteAt(query, at)
    if (mark === null || mark.quote !== opening.quote) {
      at += mark?.width ?? 1
      continue
    }
    const end = skipBlanks(query, at + mark.width, isForm)
    if (end === query.length || query.startsWith('&$', end) || query.startsWith('&%24', end))
      return end
    if (query[end] === '&' && innerQuotes % 2 === 0) return end
    innerQuotes++
    at += mark.width
  }
  throw restError('quoteMissing', { parameter: name, quote: opening.quote })
}

/**
 * The end of a filter that starts with a quote: of one in quotes as a whole, or of one that starts
 * with a quoted condition and continues, `'a = 1' and b > 2`. Null if the text up to a parameter
 * with `$`, or to the end, is not a filter.
 */
function conditionsEnd(
  query: string,
  start: number,
  opening: QuoteMark,
  name: string,
  isForm: boolean,
): number | null {
  let closing = start + opening.width
  while (closing < query.length && quoteAt(query, closing)?.quote !== opening.quote) closing++
  if (closing >= query.length) return null
  const behind = skipBlanks(query, closing + quoteAt(query, closing)!.width, isForm)
  if (behind >= query.length || query[behind] === '&') return behind
  try {
    const end = filterEnd(query, start, name, isForm)
    if (end < query.length && !query.startsWith('&$', end) && !query.startsWith('&%24', end))
      return null
    const text = query.slice(start, end)
    return canBeRead(decodePercent(isForm ? text.replaceAll('+', ' ') : text)) ? end : null
  } catch (error) {
    if (isEntiaError(error, 'quoteMissing')) return null
    throw error
  }
}

/**
 * The end of a filter without quotes around it: the first `&` outside of what the grammar finds in
 * quotes.
 */
function filterEnd(query: string, start: number, name: string, isForm: boolean): number {
  const first = nextAmpersand(query, start)
  if (!QUOTE.test(query.slice(start, first))) return first
  const { text, places } = signsOf(query, start, isForm)
  let from = start
  for (const { start: opening, end } of findQuotedParts(text)) {
    const next = nextAmpersand(query, from)
    if (next < places[opening]!) return next
    if (end === null) throw restError('quoteMissing', { parameter: name, quote: text[opening]! })
    from = places[end]!
  }
  return nextAmpersand(query, from)
}

const QUOTE = /['"]|%2[27]/

/**
 * The rest of a query string with its escapes undone, and where each character stands in it, the
 * end too.
 */
function signsOf(
  query: string,
  start: number,
  isForm: boolean,
): { text: string; places: readonly number[] } {
  const places: number[] = []
  let text = ''
  for (let at = start; at < query.length; at += widthAt(query, at)) {
    places.push(at)
    text += isForm && query[at] === '+' ? ' ' : signAt(query, at)
  }
  places.push(query.length)
  return { text, places }
}

const ESCAPE = /%[\da-f]{2}/iy

function isEscape(query: string, at: number): boolean {
  if (query[at] !== '%') return false
  ESCAPE.lastIndex = at
  return ESCAPE.test(query)
}

const widthAt = (query: string, at: number): number => (isEscape(query, at) ? 3 : 1)

/** The character at a position, unescaped. Characters beyond ASCII count as letters here. */
const signAt = (query: string, at: number): string =>
  isEscape(query, at)
    ? String.fromCharCode(Number.parseInt(query.slice(at + 1, at + 3), 16))
    : (query[at] ?? '')

function skipBlanks(query: string, at: number, isForm: boolean): number {
  for (;;) {
    const sign = signAt(query, at)
    if (
      sign !== ' ' &&
      sign !== '\t' &&
      sign !== '\r' &&
      sign !== '\n' &&
      !(isForm && query[at] === '+')
    )
      return at
    at += widthAt(query, at)
  }
}
