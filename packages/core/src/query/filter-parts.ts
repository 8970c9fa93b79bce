import type { Condition } from '../model/condition-types.ts'

/** A filter: the parts of its text, and the values of the placeholders between them. */
export interface FilterParts {
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
}

/**
 * The text of a filter with placeholders numbered after `before` others: `:1`, `:2`, ….
 *
 * @internal For other packages of Entia.
 */
export const textOf = ({ parts }: FilterParts, before = 0): string =>
  parts.reduce((text, part, at) => `${text}:${before + at}${part}`)

/**
 * The filter of a tagged template. Each `${…}` becomes a placeholder, so values are never parsed as
 * filter text. Throws a TypeError for null and undefined, which no comparison accepts.
 *
 * @internal For other packages of Entia.
 */
export function filterOf(strings: readonly string[], values: readonly unknown[]): FilterParts {
  return { parts: strings, values: values.map((value, at) => sent(value, at + 1)) }
}

/**
 * Joins two filters with `and`. `textOf` numbers the placeholders, so joining never edits text. A
 * filter alone keeps its text, so that errors show the place in it.
 *
 * @internal For other packages of Entia.
 */
export function bothOf(first: FilterParts | null, second: FilterParts): FilterParts {
  if (first === null) return second
  const [begin = '', ...rest] = second.parts
  const before = first.parts.slice(0, -1)
  const joint = `${first.parts.at(-1) ?? ''}) and (${begin}`
  const [head = '', ...inner] = [...before, joint, ...rest]
  const last = inner.pop()
  // If neither filter has a placeholder, the result is one part.
  const parts = last === undefined ? [`(${head})`] : [`(${head}`, ...inner, `${last})`]
  return { parts, values: [...first.values, ...second.values] }
}

/**
 * Adds what `query` was called with to a filter: a template and its values, or a condition. One
 * without text adds nothing, because every entity satisfies it.
 *
 * @internal For other packages of Entia.
 */
export function withFilter(
  first: FilterParts | null,
  dataClass: string,
  given: unknown,
  values: readonly unknown[],
): FilterParts | null {
  if (Array.isArray(given))
    return given.join('').trim() === '' && values.length === 0
      ? first
      : bothOf(first, filterOf(given, values))
  if (typeof given === 'string')
    throw new TypeError(
      `query() takes a template or a condition, not a string. Write query\`${given.replace(PLACEHOLDER, `\${value}`)}\` without parentheses.`,
    )
  if (!isCondition(given) || given.dataClass !== dataClass)
    throw new TypeError(
      `query() takes a template or a condition on ${dataClass}: where(db.${dataClass})(…), with where of @entia/core/query.`,
    )
  const { text, params } = given
  // Values are not in the text, so every colon begins a placeholder.
  return text === '' ? first : bothOf(first, { parts: text.split(/:[0-9]+/), values: params })
}

/**
 * Joins two searches: entities must have the words of both. One without words finds nothing.
 *
 * @internal For other packages of Entia.
 */
export function bothSearches(first: string | null | undefined, words: unknown): string {
  if (typeof words !== 'string') throw new TypeError('search() takes the words as a text.')
  if (first == null) return words
  return IN_WORDS.test(first) && IN_WORDS.test(words) ? `${first} ${words}` : ''
}

const IN_WORDS = /[\p{L}\p{N}]/u

/** A placeholder of filter text, of which a template writes the value in its place. */
const PLACEHOLDER = /:[\p{L}0-9_.]+/gu

/** Dates are sent as ISO 8601 text, since every asynchronous store compares them so. */
function sent(value: unknown, place: number): unknown {
  if (value === null || value === undefined)
    throw new TypeError(
      `Value ${place} of the filter is ${value}. Nothing is equal to it: write "is null" or "is not null" in the filter.`,
    )
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`Value ${place} of the filter is ${value}. It takes finite numbers.`)
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map((each) => sent(each, place)) : value
}

/** Checks the shape, so that a program without a store needs none of the classes of conditions. */
const isCondition = (given: unknown): given is Condition =>
  typeof given === 'object' &&
  given !== null &&
  'text' in given &&
  typeof given.text === 'string' &&
  'params' in given &&
  Array.isArray(given.params)

// What a selection of an asynchronous store refuses, wherever the store is: it is a description,
// and has no members before it is read.

/**
 * For `JSON.stringify`, which cannot wait for the members.
 *
 * @internal For other packages of Entia.
 */
export function refuseJson(): never {
  throw new TypeError('A selection has no entities before it is read: await its toArray().')
}

/**
 * Refuses the removal of every entity, for a caller who forgot the filter. A text that only orders
 * selects every entity too. Throws a TypeError.
 *
 * @internal For other packages of Entia.
 */
export function refuseWholeRemoval(filter: FilterParts | null): void {
  if (filter !== null && !/^\s*order\s+by\s/i.test(textOf(filter))) return
  throw new TypeError(
    'Without a filter, remove() would delete every entity. Add a filter with query(), or remove an entity set.',
  )
}
