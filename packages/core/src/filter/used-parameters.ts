import { isEntiaError } from '../errors.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { filterError } from './filter-errors.ts'
import { UNLIMITED_FILTER } from './limits.ts'
import { type FilterParameters, LONG_FORM } from './parameters.ts'
import { parseFilter } from './parse-filter.ts'
import { findPlaceholders } from './placeholders.ts'

/** A position, from 1, or the name of a value. */
type Name = number | string

/** The values that the placeholders of filters read. */
export class UsedParameters {
  readonly #text: string
  readonly #used: ReadonlySet<Name>

  /** `placeholders`: those of the text, without colons. */
  constructor(text: string, placeholders: readonly string[]) {
    this.#text = text
    // `:user.id` reads the value `user`.
    this.#used = new Set(
      placeholders.map((name) => (/^[0-9]+$/.test(name) ? Number(name) : name.split('.')[0])),
    )
  }

  /**
   * Refuses a value that no placeholder reads: it shows that the filter is not the one that was
   * meant. Cost: O(values). Throws `parameterUnused`, `argumentInvalid` for what holds no values.
   */
  check(parameters: FilterParameters | undefined): void {
    // A caller in JavaScript may give anything.
    if (parameters === undefined || parameters === null) return
    if (typeof parameters !== 'object')
      throw refused(
        'The parameters of a filter',
        'an array, or an object of names',
        describeFound(parameters),
      )
    this.#only(parameters, (name) => {
      throw this.#unused(name)
    })
  }

  /** The same parameters without the values that no placeholder reads. Cost: O(values). */
  only(parameters: FilterParameters): FilterParameters {
    return this.#only(parameters, () => undefined) as FilterParameters
  }

  #only(parameters: FilterParameters, drop: (name: Name) => void): unknown {
    const part = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map((value, at) => this.#kept(at + 1, value, drop))
      return mapMembers(given as object, (name, value) => this.#kept(name, value, drop))
    }
    const names = Array.isArray(parameters) ? [] : Object.keys(parameters)
    if (names.length === 0 || !names.every((name) => LONG_FORM.includes(name)))
      return part(parameters)
    return mapMembers(parameters, (name, value) =>
      this.#used.has(name) || typeof value !== 'object' || value === null
        ? this.#kept(name, value, drop)
        : part(value),
    )
  }

  #kept(name: Name, value: unknown, drop: (name: Name) => void): unknown {
    if (value === undefined || this.#used.has(name)) return value
    return drop(name)
  }

  #unused(name: Name): Error {
    const short = String(name).slice(0, 100)
    const isQuoted = standsIn(this.#text, `:${name}`)
    return filterError('parameterUnused', {
      parameter: typeof name === 'number' ? `parameter ${name}` : `the parameter "${short}"`,
      remedy: isQuoted
        ? `The filter has :${short} in quotes, where it is text: write it without quotes.`
        : `Write :${short} where its value belongs, or remove it.`,
    })
  }
}

/** The object with other values. A name may be `__proto__`. */
const mapMembers = (given: object, map: (name: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, map(name, value)]))

/** Whether a placeholder stands in the text, even in quotes. */
function standsIn(text: string, placeholder: string): boolean {
  for (let at = text.indexOf(placeholder); at >= 0; at = text.indexOf(placeholder, at + 1))
    if (!/[\p{L}\p{N}_.]/u.test(text.charAt(at + placeholder.length))) return true
  return false
}

/**
 * What several filters of one call read together. Null if one of them is not a filter: the reason
 * is reported where it is bound.
 *
 * @internal For other packages of Entia.
 */
export function usedParameters(texts: readonly string[]): UsedParameters | null {
  try {
    const names = texts.flatMap((text) => {
      const { condition } = parseFilter(text, UNLIMITED_FILTER)
      return findPlaceholders(text, condition, UNLIMITED_FILTER).names
    })
    return new UsedParameters(texts.join('\n'), names)
  } catch (error) {
    if (isEntiaError(error)) return null
    throw error
  }
}
