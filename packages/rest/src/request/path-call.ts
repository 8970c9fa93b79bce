import { restError } from '../errors/rest-error.ts'
import { decodePercent } from './percent.ts'

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
