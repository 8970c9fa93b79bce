import type { StorageAttribute } from '@entia/core'
import { isDateOnly, typeOf } from '../../engine/names.ts'
import type { ValueAttribute } from '../../engine/projection.ts'
import type { DateOnlyFormat } from '../date-text.ts'
import { orNull, type Piece, schemaRef } from './schema.ts'

/**
 * The schema of a value attribute in answers: nullable if it may be null, with the limits of stored
 * values.
 */
export function readSchema(attribute: ValueAttribute, dateOnlyFormat: DateOnlyFormat): Piece {
  const type = isDateOnly(attribute)
    ? dateOnlySchema(dateOnlyFormat)
    : typeSchema(typeOf(attribute))
  if (attribute.kind !== 'storage')
    return { ...nullable(type), ...(isSet(attribute) ? {} : { readOnly: true }) }
  const limited = { ...type, ...limitsOf(attribute) }
  const schema = attribute.notNull || attribute.key ? limited : nullable(limited)
  return attribute.readOnly ? { ...schema, readOnly: true } : schema
}

/** The schema of a value attribute in requests. */
export function writeSchema(attribute: ValueAttribute): Piece {
  const kind = typeOf(attribute)
  if (kind === 'image' || kind === 'blob') return SENT_MEDIA
  const type = isDateOnly(attribute) ? SENT_DAY : typeSchema(kind)
  if (attribute.kind !== 'storage') return nullable(type)
  const limited = { ...type, ...limitsOf(attribute), ...defaultOf(attribute) }
  // Null for a generated value requests the next one.
  const isGenerated = attribute.autoSequence || (attribute.key && kind === 'uuid')
  return (attribute.notNull || attribute.key) && !isGenerated ? limited : nullable(limited)
}

/** An object attribute holds any JSON, null too. */
const nullable = (schema: Piece): Piece =>
  Object.keys(schema).length === 0 ? schema : orNull(schema)

const isSet = (attribute: ValueAttribute): boolean =>
  attribute.kind === 'calculated' && attribute.set !== null

const ANY: Piece = {}
/** The form in which media are read can be sent back. */
const SENT_MEDIA: Piece = {
  anyOf: [schemaRef('rest.Upload'), schemaRef('rest.MediaLink'), { type: 'null' }],
}
const SENT_DAY: Piece = {
  type: 'string',
  description: 'A calendar date: 2024-01-31.',
  examples: ['2024-01-31'],
}

function dateOnlySchema(format: DateOnlyFormat): Piece {
  return format === '!!yyyy-mm-dd!!'
    ? {
        type: 'string',
        pattern: '^!!\\d{4}-\\d{2}-\\d{2}!!$',
        description: 'A calendar date: !!2024-01-31!!.',
      }
    : {
        type: 'string',
        pattern: '^\\d{1,2}!\\d{1,2}!\\d{1,4}$',
        description: 'A calendar date: 31!1!2024.',
      }
}

function typeSchema(type: StorageAttribute['type']): Piece {
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
      return { type: 'string', format: 'date-time' }
    case 'object':
      return ANY
    case 'image':
    case 'blob':
      return schemaRef('rest.MediaLink')
  }
}

/** The limits that mean the same in JSON Schema. A pattern with flags is described in words. */
function limitsOf({ min, max, minLength, maxLength, pattern }: StorageAttribute): Piece {
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

function patternOf(pattern: RegExp | null): Piece {
  if (pattern === null) return {}
  const isPlain =
    pattern.flags === 'u' || (pattern.flags === '' && MEANS_THE_SAME.test(pattern.source))
  return isPlain ? { pattern: pattern.source } : { description: `Matches ${pattern}.` }
}

function defaultOf({ type, defaultValue }: StorageAttribute): Piece {
  const isShown = type !== 'date' && ['string', 'number', 'boolean'].includes(typeof defaultValue)
  return isShown ? { default: defaultValue } : {}
}
