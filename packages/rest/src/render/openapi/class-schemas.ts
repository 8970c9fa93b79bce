import type { AttributeModel, ClassModel, StorageAttribute } from '@entia/core'
import { defaultOf, limitsOf, typeSchema } from '@entia/core/schema'
import {
  isDateOnly,
  isRelation,
  isWritable,
  type Names,
  NUMERIC_TYPES,
  typeOf,
  type ValueAttribute,
} from '@entia/engine'
import type { DateOnlyFormat } from '../layout.ts'
import { PLAN_MEMBERS } from './common-schemas.ts'
import {
  arrayOf,
  componentName,
  count,
  orNull,
  type Piece,
  pieceOf,
  schemaRef,
  text,
} from './schema.ts'

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
        pattern: '^!!([+-]\\d{2})?\\d{4}-\\d{2}-\\d{2}!!$',
        description: 'A calendar date: !!2024-01-31!!.',
      }
    : {
        type: 'string',
        pattern: '^\\d{1,2}!\\d{1,2}!([+-]\\d{2})?\\d{1,4}$',
        description: 'A calendar date: 31!1!2024.',
      }
}

/** The schema of a type, null apart. */
const valueType = (type: StorageAttribute['type']): Piece =>
  typeSchema(type, false) ?? schemaRef('rest.MediaLink')

/**
 * The schemas of one dataclass as the caller knows it: an entity, a page, inputs, and results of
 * changes.
 */
export function classSchemas(
  dataClass: ClassModel,
  names: Names,
  dateOnlyFormat: DateOnlyFormat,
): Piece {
  const name = componentName(dataClass.name)
  const attributes = names.attributes(dataClass)
  const isKey = (attribute: AttributeModel): boolean => attribute === dataClass.key
  const read = (attribute: AttributeModel) =>
    [attribute.name, readOf(attribute, dateOnlyFormat)] as const
  const values = attributes.filter((attribute) => !isKey(attribute)).map(read)
  const ownKey = attributes.filter(isKey).map(read)
  // With $refresh=true a new entity has no key yet.
  const keyToCome = ownKey.map(([attribute, schema]) => [attribute, orNull(schema)] as const)
  const naming = {
    __DATACLASS: { const: dataClass.name },
    __entityModel: { const: dataClass.name },
  }
  // A number under $asArray.
  const key = NUMERIC_TYPES.has(dataClass.key.type) ? { type: ['string', 'number'] } : text
  const stamp = { __KEY: key, __STAMP: count }
  const hasOwnUri = attributes.some((attribute) => attribute.name === 'uri')
  return {
    [`${name}.values`]: {
      description: 'The attributes of an entity except its key.',
      type: 'object',
      properties: pieceOf(values),
    },
    [name]: {
      description:
        'An entity; $attributes selects its attributes. A member that was deleted since is {"__STAMP":0}.',
      type: 'object',
      allOf: [schemaRef(`${name}.values`)],
      properties: {
        ...naming,
        ...stamp,
        __TIMESTAMP: { type: 'string', format: 'date-time' },
        ...PLAN_MEMBERS,
        ...pieceOf(ownKey),
      },
      required: ['__STAMP'],
      unevaluatedProperties: false,
    },
    [`${name}.page`]: {
      description: 'A page: __COUNT of the whole selection, __SENT of the page.',
      type: 'object',
      properties: {
        __ENTITYSET: text,
        ...PLAN_MEMBERS,
        ...naming,
        __GlobalStamp: count,
        __COUNT: count,
        __FIRST: count,
        __ENTITIES: arrayOf(schemaRef(name)),
        __SENT: count,
      },
      required: ['__GlobalStamp', '__COUNT', '__FIRST', '__ENTITIES', '__SENT'],
      additionalProperties: false,
    },
    [`${name}.input`]: {
      description:
        'An entity in a request: an update with __KEY, a creation without. A __STAMP that is not the stored one is refused.',
      type: 'object',
      properties: { __KEY: KEY_SENT, __STAMP: count, ...inputsOf(attributes) },
    },
    [`${name}.inputs`]: {
      description: 'Entities in a request, in the form of a page.',
      type: 'object',
      properties: {
        __ENTITIES: {
          anyOf: [arrayOf(schemaRef(`${name}.input`)), schemaRef(`${name}.input`)],
        },
      },
      required: ['__ENTITIES'],
    },
    [`${name}.written`]: {
      description: 'The result for one entity of a change.',
      type: 'object',
      allOf: [schemaRef(`${name}.values`)],
      properties: {
        ...pieceOf(keyToCome),
        __STATUS: schemaRef('rest.Status'),
        ...stamp,
        ...(hasOwnUri ? {} : { uri: text }),
        __TIMESTAMP: { type: 'string', pattern: '^(!!.*!!|.*T.*Z)$' },
        __ERROR: arrayOf(schemaRef('rest.ErrorEntry')),
      },
      required: ['__STATUS'],
      unevaluatedProperties: false,
    },
    [`${name}.batch`]: {
      description: 'One item for each entity in the request.',
      type: 'object',
      properties: {
        __ENTITIES: arrayOf(schemaRef(`${name}.written`)),
        __ERROR: arrayOf(schemaRef('rest.ErrorEntry')),
      },
      required: ['__ENTITIES'],
      additionalProperties: false,
    },
  }
}

function readOf(attribute: AttributeModel, dateOnlyFormat: DateOnlyFormat): Piece {
  if (!isRelation(attribute)) return readSchema(attribute, dateOnlyFormat)
  const target = componentName(attribute.target.name)
  if (attribute.kind === 'relatedEntity')
    return { anyOf: [schemaRef('rest.DeferredEntity'), schemaRef(target), { type: 'null' }] }
  const related = [schemaRef('rest.Deferred'), schemaRef(`${target}.page`)]
  return {
    anyOf: [...related, arrayOf(schemaRef(target)), { type: 'null' }],
    readOnly: true,
  }
}

function inputsOf(attributes: readonly AttributeModel[]): Piece {
  const inputs: [string, Piece][] = []
  for (const attribute of attributes) {
    if (attribute.kind === 'relatedEntity') inputs.push([attribute.name, RELATED])
    else if (!isRelation(attribute) && isWritable(attribute))
      inputs.push([attribute.name, writeSchema(attribute)])
  }
  return pieceOf(inputs)
}

/** Text, a number, or an object with the key attribute. */
const KEY_SENT: Piece = { type: ['string', 'number', 'object'] }

const RELATED: Piece = {
  description: 'The related entity: its key, or an object with its __KEY.',
  anyOf: [
    { type: ['string', 'number', 'null'] },
    { type: 'object', properties: { __KEY: KEY_SENT } },
  ],
}
