import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import {
  type Attribute,
  CLASS_NAMES,
  type ClassShape,
  type Row,
  SHAPES,
  type StoredAttribute,
} from './schema.ts'

/** The builders without their types, which infer from literal models only. */
const builders: { readonly [name: string]: (options: object) => unknown } = {
  ...attribute,
} as never

/** Types that have another name here. */
const ENGINE_TYPES: { readonly [type: string]: string } = {
  instant: 'date',
  day: 'date',
  text: 'string',
}

/** The dataclasses for the engine. Their types come from a table, so nothing is inferred. */
export const DATA_CLASSES = CLASS_NAMES.map((name) =>
  defineDataClass(name, definitionsOf(SHAPES[name])),
)

type Definitions = Parameters<typeof defineDataClass>[1]

function definitionsOf(shape: ClassShape): Definitions {
  const definitions = [...shape.attributes.values()].map((described) => [
    described.name,
    definitionOf(described),
  ])
  return Object.fromEntries(definitions) as Definitions
}

function definitionOf(described: Attribute): unknown {
  switch (described.kind) {
    case 'stored':
      return storedDefinition(described)
    case 'computed': {
      const type = ENGINE_TYPES[described.type] ?? described.type
      const dateOnly = described.type === 'day' ? { dateOnly: true } : {}
      const get = (entity: Row) => described.get(entity) as number | null
      return attribute.computed(type as 'number', { get, ...dateOnly })
    }
    case 'one':
      return attribute.relatedEntity(described.target)
    case 'many':
      return attribute.relatedEntities(described.target, described.foreignKey)
    case 'alias':
      return attribute.alias(described.path.join('.'))
    case 'object':
      return attribute.object()
    case 'blob':
      return attribute.blob()
  }
}

function storedDefinition({ type, index }: StoredAttribute): unknown {
  const options = index === 'none' ? {} : { [index]: true }
  // Keywords are compared with an index of words and without.
  const words = index === 'indexed' ? { words: true } : {}
  switch (type) {
    case 'text':
      return builders.string({ ...options, ...words })
    case 'exactText':
      return builders.string({ ...options, ...words, collation: 'exact' })
    case 'instant':
      return builders.date(options)
    case 'day':
      return builders.date({ ...options, dateOnly: true })
    default:
      return builders[type](options)
  }
}
