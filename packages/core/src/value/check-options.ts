import { EntiaError } from '../errors.ts'

/** The error for an argument that is not what it must be. */
export const refused = (argument: string, expected: string, found: string): EntiaError =>
  new EntiaError('argumentInvalid', { argument, expected, found })

/** Refuses what is no object, or has a name that is no option: a misspelt one would silently do nothing. */
export function checkNames(options: unknown, names: readonly string[]): asserts options is object {
  if (typeof options !== 'object' || options === null) throw refused('The options', 'an object', String(options))
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw refused(`The option "${name}"`, `one of ${names.join(', ')}`, 'an unknown one')
}

/** From which number to which one an option may be given. */
export interface Range {
  readonly lowest: number
  readonly highest?: number
}

/**
 * The numbers of a group of options, with defaults for those not given. Throws `argumentInvalid` for what is no object, for
 * unknown names, and for what is no whole number in its range.
 */
export function numbersOf<T extends object>(
  group: string,
  defaults: T,
  given: object = {},
  rangeOf: (name: string) => Range,
): T {
  if (typeof given !== 'object' || given === null) throw refused(`The option "${group}"`, 'an object', String(given))
  const names = Object.keys(defaults)
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      throw refused(`The option ${group}."${name}"`, `one of ${names.join(', ')}`, 'an unknown one')
    }
    const { lowest, highest } = rangeOf(name)
    if (Number.isInteger(value) && value >= lowest && value <= (highest ?? value)) continue
    const range = highest === undefined ? `from ${lowest}` : `from ${lowest} to ${highest}`
    throw refused(`The option ${group}.${name}`, `a whole number ${range}`, String(value))
  }
  return { ...defaults, ...given }
}

/** A global stamp that there was or is, given from outside. Throws `argumentInvalid`. */
export function checkStamp(argument: string, given: unknown, now: number): number {
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) <= now) return given as number
  throw refused(
    argument,
    `a whole number from 0 to ${now}, the global stamp of now`,
    typeof given === 'number' ? String(given) : typeof given,
  )
}

/** The range of numbers without an upper bound. */
export const fromZero = (): Range => ({ lowest: 0 })
