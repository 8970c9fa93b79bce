import type { AttributeType } from '../../src/value/types.ts'

/** Thrown for an invalid filter: the engine must throw where the oracle throws this. */
export class Refused extends Error {}

/** The comparison key of a text: case and accents are ignored unless it is exact. */
export function fold(text: string, isExact: boolean): string {
  return isExact ? text : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Order of two texts by code point. */
function compareText(a: string, b: string): number {
  const left = Array.from(a, codePoint)
  const right = Array.from(b, codePoint)
  for (let i = 0; i < Math.min(left.length, right.length); i++)
    if (left[i] !== right[i]) return left[i] - right[i]
  return left.length - right.length
}

const codePoint = (character: string): number => character.codePointAt(0)!

/** Order of any two scalars: null, booleans, text (already folded), numbers. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a !== typeof b || a === null || b === null) return rank(a) - rank(b)
  if (typeof a === 'string') return compareText(a, b as string)
  return Number(a) - Number(b)
}

const rank = (value: unknown): number =>
  value === null ? 0 : ['boolean', 'string', 'number'].indexOf(typeof value) + 1

/**
 * True when the text fits a pattern whose `@` and `*` stand for any run of characters. Both are
 * folded.
 */
export function fits(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern[0] !== '@' && pattern[0] !== '*')
    return pattern[0] === text[0] && fits(pattern.slice(1), text.slice(1))
  for (let taken = 0; taken <= text.length; taken++)
    if (fits(pattern.slice(1), text.slice(taken))) return true
  return false
}

export const hasWildcard = (text: string): boolean => /[@*]/.test(text)

/**
 * True if every searched word is a word of the text; `ab@` searches for a word with that prefix.
 */
export function holdsWords(asked: string, text: string, isExact: boolean): boolean {
  const keywords = fold(asked, isExact).match(/[\p{L}\p{N}]+[@*]?/gu) ?? []
  const words = fold(text, isExact).match(/[\p{L}\p{N}]+/gu) ?? []
  if (keywords.length === 0) return false
  return keywords.every((keyword) =>
    words.some((word) =>
      hasWildcard(keyword) ? word.startsWith(keyword.slice(0, -1)) : word === keyword,
    ),
  )
}

/**
 * A literal as a comparable value of a type. Throws `Refused` if it is not a literal of that type.
 */
export function literal(
  type: AttributeType,
  dateOnly: boolean,
  text: string,
): number | boolean | string {
  const isNumber =
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
  switch (type) {
    case 'string':
      return text
    case 'uuid':
      if (/^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text))
        return uuidText(text)
      break
    case 'bool':
      if (text === 'true' || text === 'false') return text === 'true'
      break
    case 'long':
    case 'long64':
    case 'number':
      if (isNumber) return Number(text)
      break
    case 'duration': {
      if (isNumber) return Number(text)
      const clock = /^(\d+):([0-5]\d):([0-5]\d)$/.exec(text)
      if (clock !== null)
        return ((Number(clock[1]) * 60 + Number(clock[2])) * 60 + Number(clock[3])) * 1000
      break
    }
    case 'date': {
      const time = timeOf(text)
      if (time !== null) return dateOnly ? Math.floor(time / DAY) : time
      break
    }
  }
  throw new Refused(`${text} is not a value of the type ${type}`)
}

const DAY = 86_400_000

export const uuidText = (text: string): string => text.replaceAll('-', '').toUpperCase()

function timeOf(text: string): number | null {
  const dmy = /^(\d\d?)!(\d\d?)!(\d{4})$/.exec(text)
  if (dmy !== null) return Date.UTC(Number(dmy[3]), Number(dmy[2]) - 1, Number(dmy[1]))
  const iso = /^!!(\d{4}-\d\d-\d\d)!!$/.exec(text)?.[1] ?? text
  if (!/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(iso)) return null
  const time = Date.parse(iso)
  return Number.isNaN(time) ? null : time
}

/** The comparison key of a value of a row: text folded, dates as numbers. */
export function comparable(
  type: AttributeType,
  isExact: boolean,
  dateOnly: boolean,
  value: unknown,
): unknown {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' && type === 'date') return literal('date', dateOnly, value)
  return typeof value === 'string' ? fold(value, isExact) : value
}
