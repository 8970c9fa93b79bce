import type { AttributeModel, ClassModel } from '@entia/core'
import { isRelation, isWritable, type Names, NUMERIC_TYPES } from '@entia/engine'
import { plainKeyMember } from '../../endpoints/context/plain-members.ts'
import { readSchema, writeSchema } from './class-schemas.ts'
import type { OpenApiPlain } from './plain-parameters.ts'
import { arrayOf, componentName, count, orNull, type Piece, pieceOf, schemaRef } from './schema.ts'

/** The component of an entity as plain REST answers it. */
export const plainEntity = ({ name }: ClassModel): Piece =>
  schemaRef(`${componentName(name)}.plain`)

/** The component of the body that a change takes. */
export const plainInput = ({ name }: ClassModel): Piece =>
  schemaRef(`${componentName(name)}.plain.input`)

/**
 * The schemas of one dataclass in plain REST: an entity, and the body of a change. An attribute
 * `others` keeps members and values of any type, so then every member can be absent and have any.
 */
export function plainSchemas(dataClass: ClassModel, plain: OpenApiPlain, names: Names): Piece {
  const name = componentName(dataClass.name)
  const others = plain.othersOf(dataClass.name)
  const isOpen = others !== null
  const attributes = names.attributes(dataClass).filter((one) => one.name !== others)
  const isSingular = [...plain.resources.values()].some(
    (resource) => resource.dataClass === dataClass.name && resource.only !== null,
  )
  const any = (schema: Piece): Piece =>
    isOpen && Object.keys(schema).length > 0 ? { anyOf: [schema, ANY] } : schema
  const members = attributes.flatMap((attribute) => memberOf(attribute) ?? [])
  const required = isOpen
    ? []
    : members.filter(({ key }) => !(key && isSingular)).map((member) => member.name)
  return {
    [`${name}.plain`]: {
      description: 'An entity; _embed and _expand add related ones.',
      type: 'object',
      properties: pieceOf([
        ...members.map((member) => [member.name, any(member.read)] as const),
        ...attributes.filter(isRelation).map((one) => [one.name, relatedSchema(one)] as const),
      ]),
      ...(required.length > 0 ? { required } : {}),
      ...(isOpen ? {} : { additionalProperties: false }),
    },
    [`${name}.plain.input`]: {
      description: isOpen
        ? 'The members of an entity. Members without an attribute are kept as they are.'
        : 'The members of an entity.',
      type: 'object',
      properties: {
        __STAMP: {
          ...count,
          description: 'A stamp that is not the stored one is refused.',
        },
        ...pieceOf(
          members
            .filter(({ write }) => write !== null)
            .map((member) => [member.name, any(member.write!)] as const),
        ),
      },
    },
  }
}

const ANY: Piece = { description: 'A value of another type, kept as it was sent.' }

interface Member {
  readonly name: string
  readonly key: boolean
  readonly read: Piece
  /** Null for what cannot be written. */
  readonly write: Piece | null
}

/** A value attribute, or the key of a to-one relation; null for what is shown only on request. */
function memberOf(attribute: AttributeModel): Member | null {
  if (attribute.kind === 'relatedEntity') {
    const name = plainKeyMember(attribute)
    const type = NUMERIC_TYPES.has(attribute.target.key.type) ? 'number' : 'string'
    const description = `The key of ${attribute.name}.`
    return name === null
      ? null
      : {
          name,
          key: false,
          read: { ...orNull({ type }), description },
          write: { type: ['string', 'number', 'null'], description },
        }
  }
  if (isRelation(attribute)) return null
  const key = attribute.kind === 'storage' && attribute.key
  return {
    name: attribute.name,
    key,
    read: readSchema(attribute, 'plain'),
    write: isWritable(attribute) ? sent(writeSchema(attribute), key) : null,
  }
}

/** The key in the body may be null, and that of a number its digits. */
const sent = (schema: Piece, key: boolean): Piece =>
  key ? { description: 'The key; null or absent for a new one.' } : schema

function relatedSchema(attribute: Extract<AttributeModel, { readonly target: ClassModel }>): Piece {
  const target = plainEntity(attribute.target)
  return attribute.kind === 'relatedEntity' ? target : arrayOf(target)
}
