import type { StorageAttribute } from '../model/catalog.ts'
import type { AttributeType } from '../value/types.ts'

/** A part of a JSON Schema document. */
export interface JsonSchema {
  readonly [name: string]: unknown
}

/**
 * The JSON Schema of the values of a storage attribute, null apart: its type, limits and default.
 * Undefined for images and BLOBs, which are not JSON.
 */
export function valueSchema(attribute: StorageAttribute): JsonSchema | undefined {
  const type = typeSchema(attribute.type, attribute.dateOnly)
  return type && { ...type, ...limitsOf(attribute), ...defaultOf(attribute) }
}

/** The JSON Schema of the values of a type; undefined for images and BLOBs. */
export function typeSchema(type: AttributeType, isDateOnly: boolean): JsonSchema | undefined {
  switch (type) {
    case 'bool':
      return { type: 'boolean' }
    case 'long':
      return { type: 'integer', format: 'int32' }
    case 'long64':
      return { type: 'integer', format: 'int64' }
    case 'number':
      return { type: 'number' }
    case 'duration':
      return { type: 'number', description: 'Milliseconds.' }
    case 'string':
    case 'uuid':
      return { type: 'string' }
    case 'date':
      return { type: 'string', format: isDateOnly ? 'date' : 'date-time' }
    case 'object':
      return {}
    case 'image':
    case 'blob':
      return undefined
  }
}

/** The limits that mean the same in JSON Schema. A pattern with flags is described in words. */
export function limitsOf({
  min,
  max,
  minLength,
  maxLength,
  pattern,
}: StorageAttribute): JsonSchema {
  return {
    ...(min === null ? {} : { minimum: min }),
    ...(max === null ? {} : { maximum: max }),
    ...(minLength === null ? {} : { minLength }),
    ...(maxLength === null ? {} : { maxLength }),
    ...patternOf(pattern),
  }
}

/**
 * Patterns without flags that mean the same in JSON Schema's Unicode mode: ASCII, with escapes of
 * both modes, and braces only around numbers. A class that matches any character must be repeated:
 * alone it matches half a surrogate pair in one of the modes.
 */
const MEANS_THE_SAME =
  /^(?:[ -\-/-Z^-z|~]|\.[*+]|\\[dwsbnrt^$\\.*+?()[\]{}|/]|\[(?!\^)(?:[ -Z^-~]|\\[dwsnrt^$\\.*+?()[\]{}|/-])*\]|\[\^(?:[ -Z^-~]|\\[dwsnrt^$\\.*+?()[\]{}|/-])*\][*+]|\{\d+(?:,\d*)?\})*$/

function patternOf(pattern: RegExp | null): JsonSchema {
  if (pattern === null) return {}
  const isPlain =
    pattern.flags === 'u' || (pattern.flags === '' && MEANS_THE_SAME.test(pattern.source))
  return isPlain ? { pattern: pattern.source } : { description: `Matches ${pattern}.` }
}

/** The default of an attribute, where JSON has the same value. */
export function defaultOf({ type, defaultValue }: StorageAttribute): JsonSchema {
  const isShown = type !== 'date' && ['string', 'number', 'boolean'].includes(typeof defaultValue)
  return isShown ? { default: defaultValue } : {}
}
