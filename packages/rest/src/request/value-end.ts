import { findQuotedParts, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { canBeRead } from './filter-text.ts'
import { decodePercent } from './percent.ts'

/** Parameters that hold a filter. */
export const FILTERS: ReadonlySet<string> = new Set(['$filter', '$having', '$savedfilter'])

/**
 * The end of a parameter's value: a `&`, or the end of the query string.
 *
 * An encoder writes `&` inside a value as `%26`, so its values end at the next `&`. People and URL
 * libraries leave it unescaped: `$filter="name === 'x & y'"`. Values of such clients are read by
 * their own grammar: `$params` as JSON, a filter by its quotes, any value within the quotes around
 * it.
 *
 * Takes `query`: after `withRawMarks`; `start`: the start of the value; `isForm`: whether `+` is a
 * blank in it.
 *
 * Cost O(length of the value); of a filter with quotes, O(the rest of the query).
 *
 * Throws quoteMissing.
 */
export function valueEnd(query: string, start: number, name: string, isForm: boolean): number {
  if (!name.startsWith('$')) return nextAmpersand(query, start)
  const json = name === '$params' ? jsonEnd(query, start, isForm) : null
  if (json !== null) return json
  const isFilter = FILTERS.has(name)
  if (isQuote(query[start]))
    return (
      (isFilter ? conditionsEnd(query, start, name, isForm) : null) ??
      quotedEnd(query, start, name, isForm)
    )
  return isFilter ? filterEnd(query, start, name, isForm) : nextAmpersand(query, start)
}

const isQuote = (sign: string | undefined): boolean => sign === '"' || sign === "'"

function nextAmpersand(query: string, start: number): number {
  const at = query.indexOf('&', start)
  return at < 0 ? query.length : at
}

/** True at the end of the query, and before a parameter with `$`. */
const endsAt = (query: string, at: number): boolean =>
  at >= query.length || query.startsWith('&$', at) || query.startsWith('&%24', at)

/**
 * The end of a JSON array or object, with or without quotes around it; null if there is none.
 * Quotes and `&` inside its texts belong to the texts.
 */
function jsonEnd(query: string, start: number, isForm: boolean): number | null {
  let at = skipBlanks(query, start, isForm)
  const around = isQuote(query[at]) ? query[at] : null
  if (around !== null) at = skipBlanks(query, at + 1, isForm)
  if (query[at] !== '[' && query[at] !== '{') return null
  let depth = 0
  let inText = false
  do {
    const sign = query[at++]
    if (inText) {
      if (sign === '\\') at++
      else if (sign === '"') inText = false
    } else if (sign === '"') inText = true
    else if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    else if (sign === '&' || query.startsWith('%26', at - 1)) return null
  } while (depth > 0 && at < query.length)
  if (depth > 0) return null
  at = skipBlanks(query, at, isForm)
  if (around !== null) {
    if (query[at] !== around) return null
    at = skipBlanks(query, at + 1, isForm)
  }
  return at >= query.length || query[at] === '&' ? at : null
}

/**
 * The end of a quoted value. An inner quote of the same kind should be a `\u` escape. If it is not,
 * the interpretation that loses nothing counts: before `&$` or the end, any such quote closes the
 * value; before another `&` only one that leaves the inner quotes paired, since a name without `$`
 * would be ignored together with the rest of the value.
 */
function quotedEnd(query: string, start: number, name: string, isForm: boolean): number {
  const quote = query[start]!
  let innerQuotes = 0
  for (
    let at = query.indexOf(quote, start + 1);
    at >= 0;
    at = query.indexOf(quote, at + 1), innerQuotes++
  ) {
    const end = skipBlanks(query, at + 1, isForm)
    if (endsAt(query, end) || (query[end] === '&' && innerQuotes % 2 === 0)) return end
  }
  throw restError('quoteMissing', { parameter: name, quote })
}

/**
 * The end of a filter that starts with a quote: of one in quotes as a whole, or of one that starts
 * with a quoted condition and continues, `'a = 1' and b > 2`. Null if the text up to a parameter
 * with `$`, or to the end, is not a filter.
 */
function conditionsEnd(query: string, start: number, name: string, isForm: boolean): number | null {
  const closing = query.indexOf(query[start]!, start + 1)
  if (closing < 0) return null
  const behind = skipBlanks(query, closing + 1, isForm)
  if (behind >= query.length || query[behind] === '&') return behind
  try {
    const end = filterEnd(query, start, name, isForm)
    if (!endsAt(query, end)) return null
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
  if (!/['"]/.test(query.slice(start, first))) return first
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

const ESCAPE = /^%[\da-f]{2}$/i

/**
 * The rest of a query string with its escapes undone, and where each character stands in it, the
 * end too. Characters beyond ASCII count as letters here.
 */
function signsOf(
  query: string,
  start: number,
  isForm: boolean,
): { text: string; places: readonly number[] } {
  const places: number[] = []
  let text = ''
  for (let at = start, width = 1; at < query.length; at += width) {
    places.push(at)
    const sign = query[at]!
    width = sign === '%' && ESCAPE.test(query.slice(at, at + 3)) ? 3 : 1
    if (width === 3) text += String.fromCharCode(Number.parseInt(query.slice(at + 1, at + 3), 16))
    else text += isForm && sign === '+' ? ' ' : sign
  }
  places.push(query.length)
  return { text, places }
}

function skipBlanks(query: string, at: number, isForm: boolean): number {
  while (BLANKS.has(query[at]!) || (isForm && query[at] === '+')) at++
  return at
}

const BLANKS: ReadonlySet<string> = new Set(' \t\r\n')
