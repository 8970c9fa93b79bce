import { EntiaError } from '../errors.ts'

/** Why an input is not a value of a type, for an error message: "takes `expected`, not `found`". */
export class Refusal {
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    this.expected = expected
    this.found = found
  }
}

/**
 * Describes a value for an error message, shortened: `the text "abc"`, `the number 1.5`,
 * `an array`.
 */
export function describeFound(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the text "${shorten(value)}"`
    case 'number':
      return Number.isNaN(value) ? 'a number that is NaN' : `the number ${value}`
    case 'boolean':
      return `the boolean ${value}`
    case 'undefined':
      return 'undefined'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'an array'
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date'
      if (value instanceof Uint8Array) return 'bytes'
      return classOf(value) === 'Object'
        ? 'an object'
        : `an object of class ${shorten(classOf(value))}`
    default:
      return `a ${typeof value}`
  }
}

/**
 * True for an object that can be one of attributes. What holds its contents elsewhere, such as a
 * Promise, a Map or a form, has no attributes and is meant to have some.
 */
export function isAttributes(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  return Object.keys(value).length > 0 || classOf(value) === 'Object'
}

/** The class of an object as the language names it, such as `Object` or `Map`. */
export const classOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

/** At most 40 characters, no half pair and no line breaks. */
function shorten(text: string): string {
  const oneLine = Array.from(text.slice(0, 82), (c) =>
    c < ' ' || /\p{Surrogate}/u.test(c) ? '\ufffd' : c,
  )
  return oneLine.length > 40 ? `${oneLine.slice(0, 39).join('')}…` : oneLine.join('')
}

/** The error for a wrong argument. */
export const refused = (argument: string, expected: string, found: string): EntiaError =>
  new EntiaError('argumentInvalid', { argument, expected, found })

/**
 * Refuses a value that is not an object, and unknown names: a misspelt option would silently do
 * nothing.
 */
export function checkNames(options: unknown, names: readonly string[]): asserts options is object {
  checkObject('The options', options)
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw unknownName('The name of an option', name, names)
}

/** Refuses a value that is not a text: a caller in JavaScript may give anything. */
export function checkText(argument: string, value: unknown, example: string): void {
  if (typeof value !== 'string')
    throw refused(argument, `a text, such as '${example}'`, describeFound(value))
}

/** Refuses a value that is not an object. */
export function checkObject(argument: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null)
    throw refused(argument, 'an object', describeFound(value))
}

/** The same for the options of a call, which may be missing. */
export function checkCallOptions(options: unknown, names: readonly string[]): void {
  if (options != null) checkNames(options, names)
}

const unknownName = (argument: string, name: string, names: readonly string[]) =>
  refused(argument, `one of ${names.join(', ')}`, `"${name}"`)

/** The lowest and the highest number of an option. */
export interface Range {
  readonly lowest: number
  readonly highest?: number
}

/**
 * The numbers of a group of options, with defaults for missing ones. Throws `argumentInvalid` for a
 * value that is not an object, for unknown names, and for a value that is not a whole number in its
 * range.
 */
export function numbersOf<T extends object>(
  group: string,
  defaults: T,
  given: object = {},
  rangeOf: (name: string) => Range,
): T {
  if (typeof given !== 'object' || given === null)
    throw refused(`The option "${group}"`, 'an object', String(given))
  const names = Object.keys(defaults)
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) throw unknownName(`The name of an option of ${group}`, name, names)
    const { lowest, highest } = rangeOf(name)
    if (Number.isInteger(value) && value >= lowest && value <= (highest ?? value)) continue
    const range = highest === undefined ? `from ${lowest}` : `from ${lowest} to ${highest}`
    throw refused(`The option ${group}.${name}`, `a whole number ${range}`, String(value))
  }
  return { ...defaults, ...given }
}

/**
 * Checks a given global stamp: it must be the current one or an earlier one. Throws
 * `argumentInvalid`.
 */
export function checkStamp(argument: string, given: unknown, now: number): number {
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) <= now)
    return given as number
  throw refused(
    argument,
    `a whole number from 0 to ${now}, the global stamp of now`,
    typeof given === 'number' ? String(given) : describeFound(given),
  )
}

/** The range of numbers without an upper bound. */
export const fromZero = (): Range => ({ lowest: 0 })

/**
 * Checks a number of items to skip or to take, at least `least`; infinity means all. Throws
 * `argumentInvalid`.
 */
export function wholeNumber(argument: string, value: unknown, least = 0): number {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= least))
    return Math.min(value as number, Number.MAX_SAFE_INTEGER)
  const found = typeof value === 'number' ? String(value) : describeFound(value)
  throw refused(argument, `a whole number from ${least}`, found)
}
