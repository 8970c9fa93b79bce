/** A filter with the values of its placeholders. */
export interface Filter {
  readonly text: string
  /** Of `:1`, `:2`, …. */
  readonly values: readonly unknown[]
}

/** What may stand in a `${…}`: dates are sent as ISO text, lists are for `in`. */
export type FilterValue = string | number | boolean | Date | readonly (string | number | boolean | Date)[]

/**
 * The filter of a tagged template: each `${…}` becomes a placeholder, so that no value is ever read as part of the filter. Throws a TypeError for null and
 * undefined, which no comparison takes.
 */
export function filterOf(strings: TemplateStringsArray, values: readonly unknown[]): Filter {
  const bound = values.map((value, at) => sent(value, at + 1))
  return { text: strings.reduce((text, part, at) => `${text}:${at}${part}`), values: bound }
}

/** Both, the second's placeholders counted on from the first's. */
export function bothOf(first: Filter, second: Filter): Filter {
  const { length } = first.values
  return {
    text: `(${first.text}) and (${renumbered(second.text, length)})`,
    values: [...first.values, ...second.values],
  }
}

function sent(value: unknown, place: number): unknown {
  if (value === null || value === undefined)
    throw new TypeError(
      `Value ${place} of the filter is ${value}. Nothing is equal to it: write "is null" or "is not null" in the filter.`,
    )
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map((each) => sent(each, place)) : value
}

/** Placeholders stand outside of quotes; texts in quotes are left as they are. */
const renumbered = (text: string, by: number): string =>
  text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|:(\d+)/g, (part, number: string | undefined) =>
    number === undefined ? part : `:${Number(number) + by}`,
  )
