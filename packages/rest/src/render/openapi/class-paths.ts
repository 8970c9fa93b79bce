import type { ClassModel } from '@entia/core'
import { isRelation, type Names } from '../../engine/names.ts'
import { isMediaAttribute, type ValueAttribute } from '../../engine/projection.ts'
import { byValueItem, entityItem, partItem } from './entity-paths.ts'
import { mediaOf } from './media-paths.ts'
import { inPath, ofDataClass } from './operation.ts'
import { ofClass } from './pages.ts'
import { OF_WRITES, responses } from './responses.ts'
import {
  anyOf,
  componentName,
  jsonContent,
  type Piece,
  pieceOf,
  refs,
  schemaRef,
} from './schema.ts'
import { entitySetItem, listOperation, relatedItem, valuesItem } from './selection-paths.ts'

const segment = encodeURIComponent

/** Operations on one dataclass, without its functions: paths below the base path. */
export function classPaths(dataClass: ClassModel, names: Names): Piece {
  const attributes = names.attributes(dataClass)
  const values = attributes.filter(
    (attribute) => !isRelation(attribute),
  ) as readonly ValueAttribute[]
  const home = `/${segment(dataClass.name)}`
  const one = `${home}({key})`
  const set = `${home}/$entityset/{id}`
  const listed = attributesInPath(values)
  const found = values.filter(
    (attribute) => attribute.kind === 'storage' && FOUND_BY.has(attribute.type),
  )
  return pieceOf([
    [
      home,
      { get: listOperation(dataClass), ...writesOf(dataClass), delete: removeMany(dataClass) },
    ],
    [one, entityItem(dataClass)],
    ...attributes
      .filter(isRelation)
      .map(
        (relation) =>
          [`${one}/${segment(relation.name)}`, relatedItem(dataClass, relation)] as const,
      ),
    ...values
      .filter(isMediaAttribute)
      .map(
        (attribute) =>
          [`${one}/${segment(attribute.name)}`, mediaOf(dataClass, attribute)] as const,
      ),
    ...(found.length > 0
      ? [[`${home}:{attribute}({value})`, byValueItem(dataClass, found)] as const]
      : []),
    ...(listed === null
      ? []
      : ([
          [`${home}/{attributes}`, valuesItem(dataClass, listed, false)],
          [`${one}/{attributes}`, partItem(dataClass, listed)],
          [`${set}/{attributes}`, valuesItem(dataClass, listed, true)],
        ] as const)),
    [set, entitySetItem(dataClass)],
  ])
}

/** Types whose values an address can contain. */
const FOUND_BY: ReadonlySet<string> = new Set([
  'bool',
  'date',
  'duration',
  'long',
  'long64',
  'number',
  'string',
  'uuid',
])

/** The parameter for attributes in a path; null if there are none. */
function attributesInPath(values: readonly ValueAttribute[]): Piece | null {
  const scalar = values.find((attribute) => !isMediaAttribute(attribute)) ?? values[0]
  if (scalar === undefined) return null
  const names = values.map(({ name }) => name).join(', ')
  return inPath(
    'attributes',
    `One or several with commas: ${names}.`,
    { type: 'string' },
    scalar.name,
  )
}

function writesOf(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  const input = schemaRef(`${name}.input`)
  const request = {
    parameters: [
      ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
      ...refs('params', 'write', 'atomic', 'refresh', 'isoTimestamps'),
    ],
    requestBody: {
      content: anyOf(input, { type: 'array', items: input }, schemaRef(`${name}.inputs`)),
    },
  }
  const answers = responses(
    'The result of it, or of each.',
    anyOf(schemaRef(`${name}.written`), schemaRef(`${name}.batch`), schemaRef('rest.Ok')),
    OF_WRITES,
    jsonContent(schemaRef(`${name}.batch`)),
  )
  const summary =
    'Saves an entity, or many: an update for each that has a __KEY; with $method=delete removes them'
  return {
    post: ofDataClass(dataClass, 'save.post', summary, answers, request),
    put: ofDataClass(dataClass, 'save.put', summary, answers, request),
  }
}

function removeMany(dataClass: ClassModel): Piece {
  const answers = responses(
    'All of them were removed.',
    jsonContent(schemaRef('rest.Ok')),
    OF_WRITES,
    jsonContent(schemaRef(`${componentName(dataClass.name)}.batch`)),
  )
  const parameters = [...ofClass(dataClass, 'filter'), ...refs('params', 'atomic')]
  return ofDataClass(dataClass, 'removeMany', 'Removes what the filter selects', answers, {
    parameters,
  })
}
