/** A filter: the parts of its text, and the values of the placeholders between them. */
export interface Filter {
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
}

/** The text of a filter with numbered placeholders: `:1`, `:2`, …. */
export const textOf = ({ parts }: Filter): string =>
  parts.reduce((text, part, at) => `${text}:${at}${part}`)

/** The values that a `${…}` accepts. Dates are sent as ISO text; lists belong to `in`. */
export type FilterValue =
  | string
  | number
  | boolean
  | Date
  | readonly (string | number | boolean | Date)[]

/**
 * The filter of a tagged template. Each `${…}` becomes a placeholder, so values are never parsed as
 * filter text. Throws a TypeError for null and undefined, which no comparison accepts.
 */
export function filterOf(strings: TemplateStringsArray, values: readonly unknown[]): Filter {
  const bound = values.map((value, at) => sent(value, at + 1))
  return { parts: strings, values: bound }
}

/** Joins two filters with `and`. `textOf` numbers the placeholders, so joining never edits text. */
export function bothOf(first: Filter, second: Filter): Filter {
  const [begin = '', ...rest] = second.parts
  const before = first.parts.slice(0, -1)
  const joint = `${first.parts.at(-1) ?? ''}) and (${begin}`
  const [head = '', ...inner] = [...before, joint, ...rest]
  const last = inner.pop()
  // If neither filter has a placeholder, the result is one part.
  const parts = last === undefined ? [`(${head})`] : [`(${head}`, ...inner, `${last})`]
  return { parts, values: [...first.values, ...second.values] }
}

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
