import { classOf, isAttributes } from '@entia/core/internal'
import type { Parameters } from './transport.ts'

// What the types of TypeScript refuse already. The texts are those of a store in the process.

/** The parameters of a page. Throws a TypeError. */
export const pageParameters = (skip: number, top: number): Parameters => ({
  $skip: wholeNumber('skip', skip),
  $top: wholeNumber('top', top),
})

/** The arguments of `connect`. Throws a TypeError. */
export function checkConnection(address: unknown, options: unknown): void {
  if (typeof address !== 'string') throw mustBe('The address', 'a text', address)
  if (typeof options !== 'object' || options === null)
    throw mustBe('The options', 'an object', options)
  for (const name of Object.keys(options))
    if (name !== 'fetch' && name !== 'headers') throw mustBe('An option', 'fetch or headers', name)
}

/** A number of items, at least `least`; infinity means all. Throws a TypeError. */
export function wholeNumber(argument: string, value: number, least = 0): number {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= least))
    return Math.min(value, Number.MAX_SAFE_INTEGER)
  throw mustBe(argument, `a whole number from ${least}`, value)
}

/** An order, which the server would ignore if it were empty. Throws a TypeError. */
export function orderText(text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '') return text
  throw mustBe('An order', "a text, such as 'salary desc, lastName'", text)
}

/** The path of one value: of several the server would take the first. Throws a TypeError. */
export function onePath(path: string): string {
  if (!path.includes(',')) return path
  throw mustBe('The attribute', 'one path', path)
}

/**
 * Throws a TypeError for values that are not an object, such as a function that edits a draft, and
 * for members of the protocol: `__ENTITIES` would write other entities.
 */
export function checkInput(dataClass: string, values: unknown): void {
  // What holds its contents elsewhere, such as a Promise or a form, would be sent as `{}`.
  if (!isAttributes(values))
    throw mustBe(`The input for the "${dataClass}" dataclass`, 'an object of attributes', values)
  for (const name of Object.keys(values))
    if (name.startsWith('__') && !IDENTIFYING.has(name))
      throw new TypeError(`"${name}" is not an attribute of the "${dataClass}" dataclass.`)
}

/** Members that identify the entity of a change. */
const IDENTIFYING: ReadonlySet<string> = new Set(['__KEY', '__STAMP'])

/** As `checkInput`, for the changes of `saveAll`. */
export function checkChanges(dataClass: string, changes: unknown): void {
  if (!Array.isArray(changes)) throw mustBe('The changes', 'an array', changes)
  for (const change of changes) checkInput(dataClass, change)
}

/** The error for a wrong argument. */
export const mustBe = (argument: string, expected: string, found: unknown): TypeError =>
  new TypeError(`${argument} must be ${expected}, not ${describe(found)}.`)

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text "${value.slice(0, 40)}"`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return classOf(value) === 'Object' ? 'an object' : `an object of class ${classOf(value)}`
}
