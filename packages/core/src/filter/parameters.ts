import { type EntiaError, isEntiaError } from '../errors.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { checkLimit, type FilterLimits, filterError, UNLIMITED_FILTER } from './filter-errors.ts'
import { parseFilter } from './parse-filter.ts'
import { type ConditionSyntax, comparisonsOf, type PlaceholderSyntax } from './syntax.ts'

/**
 * The values of placeholders: an array for `:1`, `:2`; an object for `:name` and `:a.b`; or the
 * long form `{ values?: unknown[], parameters?: object, attributes?: object }` for both, where
 * `attributes` holds the paths that placeholders stand for on the left of a comparison. A value
 * that no placeholder uses is refused; one that is undefined counts as not given.
 */
export type FilterParameters = readonly unknown[] | { readonly [name: string]: unknown }

const LONG_FORM: readonly string[] = ['values', 'parameters', 'attributes']

/**
 * The value given for a placeholder, never null or undefined. Named values are own properties only.
 * Cost: O(1) for a position. Throws `placeholderMissing`.
 */
export function readParameter(
  parameters: FilterParameters | undefined,
  placeholder: PlaceholderSyntax,
): unknown {
  const { position } = placeholder
  const value =
    position !== null && Array.isArray(parameters)
      ? (parameters[position - 1] as unknown)
      : lookUp(parameters, placeholder, 'parameters')
  if (value === null || value === undefined) {
    checkParameters(parameters)
    throw missing(placeholder, value)
  }
  return value
}

/**
 * The path given for a placeholder that stands for an attribute: from `attributes` first, else as
 * any other value.
 */
export function readAttributeParameter(
  parameters: FilterParameters | undefined,
  placeholder: PlaceholderSyntax,
): unknown {
  return lookUp(parameters, placeholder, 'attributes') ?? readParameter(parameters, placeholder)
}

/** Refuses what holds no values: a caller in JavaScript may give anything. */
function checkParameters(parameters: unknown): void {
  if (parameters === undefined || parameters === null || typeof parameters === 'object') return
  throw refused(
    'The parameters of a filter',
    "an array such as ['Paris'], or an object of names",
    describeFound(parameters),
  )
}

function lookUp(
  parameters: FilterParameters | undefined,
  { name, position }: PlaceholderSyntax,
  part: 'parameters' | 'attributes',
): unknown {
  // A caller in JavaScript may give anything.
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    return undefined
  const isLongForm = usesLongForm(parameters, name)
  if (position !== null) {
    const values = isLongForm
      ? ownProperty(parameters, part === 'attributes' ? 'attributes' : 'values')
      : undefined
    return Array.isArray(values) ? values[position - 1] : undefined
  }
  if (!isLongForm) return part === 'attributes' ? undefined : followNames(parameters, name)
  return followNames(ownProperty(parameters, part), name)
}

/**
 * True for an object with those three names only, unless the placeholder itself has one of them as
 * its name.
 */
function usesLongForm(parameters: object, name: string): boolean {
  const names = Object.keys(parameters)
  return (
    names.length > 0 &&
    names.every((key) => LONG_FORM.includes(key)) &&
    !LONG_FORM.includes(name.split('.')[0])
  )
}

function followNames(from: unknown, path: string): unknown {
  let value = from
  for (const name of path.split('.')) value = ownProperty(value, name)
  return value
}

function ownProperty(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as { readonly [name: string]: unknown })[name]
}

function missing({ name }: PlaceholderSyntax, value: null | undefined): EntiaError {
  const problem =
    value === null
      ? 'null was given. Write null in the filter itself, as in "attribute = null".'
      : 'none was given. Give a value for each placeholder of the filter.'
  return filterError('placeholderMissing', { placeholder: `:${name}`, problem })
}

const NO_PLACEHOLDERS = Object.freeze({ names: Object.freeze([]), forAttributes: false })

/**
 * The placeholders of a condition, each once, in the order of the text, and whether one of them
 * stands for an attribute. Throws `filterTooLarge`.
 */
export function findPlaceholders(
  text: string,
  condition: ConditionSyntax | null,
  limits: FilterLimits,
): { readonly names: readonly string[]; readonly forAttributes: boolean } {
  if (condition === null || !text.includes(':')) return NO_PLACEHOLDERS
  const found: PlaceholderSyntax[] = []
  let forAttributes = false
  for (const comparison of comparisonsOf(condition)) {
    if (comparison.path.kind === 'placeholder') {
      forAttributes = true
      found.push(comparison.path)
    }
    if (comparison.kind === 'isTrue') continue
    const { value } = comparison
    for (const each of value.kind === 'list' ? value.items : [value])
      if (each.kind === 'placeholder') found.push(each)
  }
  const names = [...new Set(found.map(({ name }) => name))]
  checkLimit(limits, 'maxPlaceholders', names.length)
  return { names: Object.freeze(names), forAttributes }
}

/** A position, from 1, or the name of a value. */
type Name = number | string

/** The values that the placeholders of filters read. */
export class UsedParameters {
  readonly #text: string
  readonly #placeholders: readonly string[]
  /** Made for the first values: most texts without placeholders are never given any. */
  #used: ReadonlySet<Name> | null = null
  /** How many positions are read from the first on without a gap. */
  #positions = 0

  /** `placeholders`: those of the text, without colons. */
  constructor(text: string, placeholders: readonly string[]) {
    this.#text = text
    this.#placeholders = placeholders
  }

  /**
   * Refuses a value that no placeholder reads: it shows that the filter is not the one that was
   * meant. Cost: O(values). Throws `parameterUnused`, `argumentInvalid` for what holds no values.
   */
  check(parameters: FilterParameters | undefined): void {
    checkParameters(parameters)
    if (parameters === undefined || parameters === null) return
    const used = this.#names()
    if (Array.isArray(parameters) && parameters.length <= this.#positions) return
    this.#only(parameters, used, (name) => {
      throw this.#unused(name)
    })
  }

  /** The same parameters without the values that no placeholder reads. Cost: O(values). */
  only(parameters: FilterParameters): FilterParameters {
    return this.#only(parameters, this.#names(), () => undefined) as FilterParameters
  }

  #names(): ReadonlySet<Name> {
    if (this.#used !== null) return this.#used
    // `:user.id` reads the value `user`.
    const used = new Set<Name>(
      this.#placeholders.map((name) => (/^[0-9]+$/.test(name) ? Number(name) : name.split('.')[0])),
    )
    while (used.has(this.#positions + 1)) this.#positions++
    this.#used = used
    return used
  }

  #only(
    parameters: FilterParameters,
    used: ReadonlySet<Name>,
    drop: (name: Name) => void,
  ): unknown {
    const kept = (name: Name, value: unknown): unknown =>
      value === undefined || used.has(name) ? value : drop(name)
    const part = (given: unknown): unknown =>
      Array.isArray(given)
        ? given.map((value, at) => kept(at + 1, value))
        : mapMembers(given as object, kept)
    const names = Array.isArray(parameters) ? [] : Object.keys(parameters)
    if (names.length === 0 || !names.every((name) => LONG_FORM.includes(name)))
      return part(parameters)
    return mapMembers(parameters, (name, value) =>
      used.has(name) || typeof value !== 'object' || value === null
        ? kept(name, value)
        : part(value),
    )
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
