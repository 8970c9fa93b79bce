import { restError } from '../errors/rest-error.ts'
import { decodePercent, withRawQuotes } from './percent.ts'

/**
 * A function with the arguments after its name in an address: `worst(3)`, `between('a, b', true)`.
 */
export interface PathCall {
  readonly name: string
  readonly sent: readonly unknown[]
}

/**
 * Reads one undecoded part of a path as a call; null without parentheses. The arguments are the
 * elements of a JSON array, or else texts between commas: in quotes of either kind, or bare, where
 * a number, `true`, `false` or `null` is that value. They are percent-decoded once, as a whole, so
 * a comma inside a text needs quotes. Cost: O(length). Throws urlMalformed.
 */
export function parsePathCall(part: string): PathCall | null {
  const text = decodePercent(part)
  const open = text.indexOf('(')
  if (open < 1 || !text.endsWith(')')) return null
  return { name: text.slice(0, open).trim(), sent: parseSent(text.slice(open + 1, -1)) }
}

function parseSent(list: string): readonly unknown[] {
  if (list.trim() === '') return []
  return asJson(`[${list}]`, isArray) ?? splitTexts(list)
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isBareValue = (value: unknown): value is number | boolean | null =>
  typeof value !== 'object' || value === null

/** Undefined unless the text is JSON of this kind. */
function asJson<V>(text: string, isKind: (value: unknown) => value is V): V | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isKind(value) ? value : undefined
  } catch {
    return undefined
  }
}

function splitTexts(list: string): readonly unknown[] {
  const sent: unknown[] = []
  let at = 0
  for (;;) {
    while (list[at] === ' ') at++
    const quote = list[at]
    const end = quote === "'" || quote === '"' ? closingQuote(list, at + 1, quote) : -1
    if (end < 0 && (quote === "'" || quote === '"'))
      throw restError('urlMalformed', {
        problem: `a parameter of a function lacks its closing ${quote}`,
      })
    const stop = nextComma(list, end < 0 ? at : end + 1)
    sent.push(end < 0 ? bareValue(list.slice(at, stop).trim()) : list.slice(at + 1, end))
    if (stop === list.length) return sent
    at = stop + 1
  }
}

function bareValue(text: string): unknown {
  if (text === '')
    throw restError('urlMalformed', {
      problem: "a parameter of a function is empty: an empty text is ''",
    })
  const value = asJson(text, isBareValue)
  return value === undefined ? text : value
}

function nextComma(list: string, from: number): number {
  const at = list.indexOf(',', from)
  return at < 0 ? list.length : at
}

/** The quote before a comma or the end: the apostrophe of `'O'Hara'` does not end it. */
function closingQuote(list: string, from: number, quote: string): number {
  for (let at = list.indexOf(quote, from); at >= 0; at = list.indexOf(quote, at + 1)) {
    let next = at + 1
    while (list[next] === ' ') next++
    if (next === list.length || list[next] === ',') return at
  }
  return -1
}

const SLASH = 47
const AMPERSAND = 38
const COMMA = 44
const ROUND = 40
const SQUARE = 91

/**
 * Splits at `/`, but not inside the quotes of a key or of a function's argument: `Setting("a/b")`
 * is one segment. Empty segments are ignored. The segments have their quotes and blanks raw.
 */
export function splitSegments(sent: string): readonly string[] {
  const path = withRawQuotes(sent)
  const segments: string[] = []
  let start = 0
  let at = 0
  let mayHoldQuotedKey = true
  let isCall = false
  while (at <= path.length) {
    const unit = path.charCodeAt(at)
    if (at === path.length || unit === SLASH) {
      if (at > start) segments.push(path.slice(start, at))
      start = at + 1
      isCall = false
    } else if (unit === AMPERSAND && path[at + 1] === '$')
      throw restError('questionMarkMissing', { found: '&' })
    else if (
      mayHoldQuotedKey &&
      (unit === ROUND || unit === SQUARE || (unit === COMMA && isCall))
    ) {
      // Only segments after the first may be calls, with several texts.
      isCall ||= unit === ROUND && segments.length > 0
      let from = at + 1
      while (isCall && path[from] === ' ') from++
      const quote = path[from]
      if (quote === '"' || quote === "'") {
        const closers = isCall ? '),' : unit === ROUND ? ')' : ']'
        const end = endOfQuotedKey(path, from + 1, quote, closers)
        if (end >= 0) at = end - 1
        // A failed search is the last one, so the work stays linear in the length of the path.
        else mayHoldQuotedKey = false
      }
    }
    at++
  }
  return segments
}

/**
 * The position of the closer after the closing quote; -1 if there is none. A key may contain a
 * quote before a bracket: the bracket that ends the segment counts.
 */
function endOfQuotedKey(path: string, from: number, quote: string, closers: string): number {
  for (let at = path.indexOf(quote, from); at >= 0; at = path.indexOf(quote, at + 1)) {
    const end = at + 1
    if (end === path.length || !closers.includes(path[end]!)) continue
    if (path[end] === ',' || end + 1 === path.length || path.charCodeAt(end + 1) === SLASH)
      return end
  }
  return -1
}
