/** A filter with the values of its placeholders, which stand between the parts of its text. */
export interface Filter {
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
}

/** The text of a filter with its placeholders: `:1`, `:2`, …. */
export const textOf = ({ parts }: Filter): string => parts.reduce((text, part, at) => `${text}:${at}${part}`)

/** What may stand in a `${…}`: dates are sent as ISO text, lists are for `in`. */
export type FilterValue = string | number | boolean | Date | readonly (string | number | boolean | Date)[]

/**
 * The filter of a tagged template: each `${…}` becomes a placeholder, so that no value is ever read as part of the filter. Throws a TypeError for null and
 * undefined, which no comparison takes.
 */
export function filterOf(strings: TemplateStringsArray, values: readonly unknown[]): Filter {
  const bound = values.map((value, at) => sent(value, at + 1))
  return { parts: strings, values: bound }
}

/** Both conditions. Placeholders are numbered when the text is made, so no text has to be searched for them. */
export function bothOf(first: Filter, second: Filter): Filter {
  const [begin = '', ...rest] = second.parts
  const before = first.parts.slice(0, -1)
  const joint = `${first.parts.at(-1) ?? ''}) and (${begin}`
  const [head = '', ...inner] = [...before, joint, ...rest]
  const last = inner.pop()
  // Without a placeholder in either, all is one part.
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
