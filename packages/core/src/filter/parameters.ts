import type { EntiaError } from '../errors.ts'
import { filterError } from './filter-errors.ts'
import type { PlaceholderSyntax } from './syntax.ts'

/**
 * The values of placeholders: an array for `:1`, `:2`; an object for `:name` and `:a.b`; or the
 * long form `{ values?: unknown[], parameters?: object, attributes?: object }` for both, where
 * `attributes` holds the paths that placeholders stand for on the left of a comparison. A value
 * that no placeholder uses is refused; one that is undefined counts as not given.
 */
export type FilterParameters = readonly unknown[] | { readonly [name: string]: unknown }

export const LONG_FORM: readonly string[] = ['values', 'parameters', 'attributes']

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
  if (value === null || value === undefined) throw missing(placeholder, value)
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
