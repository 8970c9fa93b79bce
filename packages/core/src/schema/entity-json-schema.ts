import type { AttributeModel, ClassModel, StorageAttribute } from '../model/catalog.ts'
import { type JsonSchema, typeSchema, valueSchema } from './value-schema.ts'

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
export function isRequired(attribute: AttributeModel): boolean {
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
