import type { AttributeModel, ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { AttributeType } from '../value/types.ts'

/** A part of a JSON Schema document. */
export interface JsonSchema {
  readonly [name: string]: unknown
}

/**
 * The JSON Schema of the values of a storage attribute, null apart: its type, limits and default.
 * Undefined for images and BLOBs, which are not JSON.
 */
function valueSchema(attribute: StorageAttribute): JsonSchema | undefined {
  const type = typeSchema(attribute.type, attribute.dateOnly)
  return type && { ...type, ...limitsOf(attribute), ...defaultOf(attribute) }
}

/**
 * The JSON Schema of the values of a type; undefined for images and BLOBs.
 *
 * @example
 * ```ts
 * typeSchema('long', false) // → { type: 'integer', format: 'int32' }
 * ```
 */
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

/**
 * The limits that mean the same in JSON Schema. A pattern with flags is described in words.
 *
 * @internal For other packages of Entia.
 */
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

/**
 * The default of an attribute, where JSON has the same value.
 *
 * @internal For other packages of Entia.
 */
export function defaultOf({ type, defaultValue }: StorageAttribute): JsonSchema {
  const isShown = type !== 'date' && ['string', 'number', 'boolean'].includes(typeof defaultValue)
  return isShown ? { default: defaultValue } : {}
}

/** The kind of write that a schema describes. */
export type WriteKind = 'insert' | 'update'

const DIALECTS: ReadonlyMap<string, string> = new Map([
  ['draft-2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ['draft-07', 'http://json-schema.org/draft-07/schema#'],
])

/** The JSON Schema of a write. Throws an `Error` for a dialect other than 2020-12 and 07. */
export function entityJsonSchema(model: ClassModel, kind: WriteKind, target: string) {
  const dialect = DIALECTS.get(target)
  if (dialect === undefined)
    throw new Error(
      `The JSON Schema of "${model.name}" is not available as "${target}". Use ${[...DIALECTS.keys()].join(' or ')}.`,
    )
  const writable = [...model.attributes.values()].filter((attribute) => isWritable(attribute, kind))
  return {
    $schema: dialect,
    title: model.name,
    type: 'object',
    properties: Object.fromEntries(
      writable.map((attribute) => [attribute.name, attributeSchema(attribute)]),
    ),
    ...(kind === 'insert' && {
      required: writable.filter(isRequired).map(({ name }) => name),
    }),
    additionalProperties: false,
  }
}

function isWritable(attribute: AttributeModel, kind: WriteKind): boolean {
  switch (attribute.kind) {
    case 'storage':
      return kind === 'insert' || !(attribute.key || attribute.readOnly)
    case 'relatedEntity':
      return true
    case 'calculated':
      return attribute.set !== null
    default:
      return false
  }
}

/** True if a new entity needs a value for the attribute. */
function isRequired(attribute: AttributeModel): boolean {
  if (attribute.kind === 'relatedEntity') return attribute.foreignKey.notNull
  return attribute.kind === 'storage' && needsValue(attribute)
}

/** True if a column must not be null and neither the store nor a default fills it. */
export const needsValue = (column: StorageAttribute): boolean =>
  (column.notNull || column.key) &&
  !column.autoSequence &&
  !(column.key && column.type === 'uuid') &&
  column.defaultValue === undefined

function attributeSchema(attribute: AttributeModel): JsonSchema {
  if (attribute.kind === 'relatedEntity') {
    const { key } = attribute.target
    const schema = typeSchema(key.type, key.dateOnly) ?? {}
    return attribute.foreignKey.notNull ? schema : orNull(schema)
  }
  if (attribute.kind === 'storage') {
    const schema = valueSchema(attribute) ?? {}
    return attribute.notNull || attribute.key ? schema : orNull(schema)
  }
  return attribute.kind === 'calculated'
    ? orNull(typeSchema(attribute.type, attribute.dateOnly) ?? {})
    : {}
}

/** An empty schema accepts null, too. */
const orNull = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
