import type { StorageAttribute } from '@entia/core'
import { defaultOf, limitsOf, typeSchema } from '@entia/core/schema'
import { isDateOnly, typeOf } from '../../engine/names.ts'
import type { ValueAttribute } from '../../engine/projection.ts'
import type { DateOnlyFormat } from '../date-text.ts'
import { orNull, type Piece, schemaRef } from './schema.ts'

/**
 * The schema of a value attribute in answers: nullable if it may be null, with the limits of stored
 * values. `plain` is the form of plain REST: ISO dates, and media as their address.
 */
export function readSchema(attribute: ValueAttribute, form: DateOnlyFormat | 'plain'): Piece {
  const type = form === 'plain' ? plainType(attribute) : entityType(attribute, form)
  if (attribute.kind !== 'storage')
    return { ...nullable(type), ...(isSet(attribute) ? {} : { readOnly: true }) }
  const limited = { ...type, ...limitsOf(attribute) }
  const schema = attribute.notNull || attribute.key ? limited : nullable(limited)
  return attribute.readOnly ? { ...schema, readOnly: true } : schema
}

const entityType = (attribute: ValueAttribute, form: DateOnlyFormat): Piece =>
  isDateOnly(attribute) ? dateOnlySchema(form) : valueType(typeOf(attribute))

const plainType = (attribute: ValueAttribute): Piece =>
  typeSchema(isDateOnly(attribute) ? 'date' : typeOf(attribute), isDateOnly(attribute)) ?? {
    type: 'string',
    description: 'The address of the content.',
  }

/** The schema of a value attribute in requests. */
export function writeSchema(attribute: ValueAttribute): Piece {
  const kind = typeOf(attribute)
  if (kind === 'image' || kind === 'blob') return SENT_MEDIA
  const type = isDateOnly(attribute) ? SENT_DAY : valueType(kind)
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

/** The schema of a type, null apart. */
const valueType = (type: StorageAttribute['type']): Piece =>
  typeSchema(type, false) ?? schemaRef('rest.MediaLink')
