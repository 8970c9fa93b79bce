import type { ClassModel } from '@entia/core'
import { type Names, NUMERIC_TYPES } from '@entia/engine'
import { type PlainResource, WHOLE_STORE } from '../../request/plain-head.ts'
import {
  createdResponses,
  OF_READS,
  OF_WRITES,
  operation,
  plainResponses,
  type Responses,
  UNCHANGED,
} from './parameters.ts'
import { includeParameters, listParameters, type OpenApiPlain } from './plain-parameters.ts'
import { plainEntity, plainInput } from './plain-schemas.ts'
import {
  arrayOf,
  componentName,
  count,
  inPath,
  jsonContent,
  orNull,
  type Piece,
  pieceOf,
  refs,
  text,
} from './schema.ts'

/** The operations of plain REST on what the caller knows: paths below `mountPath`. */
export function plainPaths({ basePath, resources }: OpenApiPlain, names: Names): Piece {
  const known = [...resources.values()].filter(
    ({ dataClass }) => names.findDataClass(dataClass) !== undefined,
  )
  return pieceOf([
    ...known.flatMap((resource) =>
      pathsOf(resource, `${basePath}/${segment(resource.name)}`, names),
    ),
    [`${basePath}/${WHOLE_STORE}`, wholeStore(known, names)],
  ])
}

const segment = encodeURIComponent

type PathItem = readonly [path: string, item: Piece]

function pathsOf(resource: PlainResource, home: string, names: Names): readonly PathItem[] {
  const dataClass = names.dataClass(resource.dataClass)
  const id = `$plain.${componentName(resource.name)}`
  if (resource.only !== null)
    return [
      [
        home,
        {
          ...entityItem(id, dataClass, names),
          post: creating(`${id}.replace.post`, 'As PUT', dataClass),
        },
      ],
    ]
  const isNumeric = NUMERIC_TYPES.has(dataClass.key.type)
  const key = inPath('key', 'The key of an entity.', text, isNumeric ? '1' : undefined)
  const nested = [...resource.nested].flatMap(([name, { relation }]): readonly PathItem[] => {
    const attribute = names.find(dataClass, relation)
    if (attribute?.kind !== 'relatedEntities') return []
    const item = listItem(`${id}.${componentName(name)}`, attribute.target, names)
    return [[`${home}/{key}/${segment(name)}`, { parameters: [key], ...item }]]
  })
  const removed = plainResponses(
    { description: 'It was removed.', content: jsonContent({ type: 'object', maxProperties: 0 }) },
    OF_WRITES,
  )
  return [
    [home, listItem(id, dataClass, names)],
    [
      `${home}/{key}`,
      {
        parameters: [key],
        ...entityItem(id, dataClass, names),
        delete: described(`${id}.remove`, 'Removes an entity', removed, refs('ifMatch')),
      },
    ],
    ...nested,
  ]
}

/** A list: its entities, and a new one. */
function listItem(id: string, dataClass: ClassModel, names: Names): Piece {
  const listed = plainResponses(
    {
      description: 'The entities.',
      content: jsonContent(arrayOf(plainEntity(dataClass))),
      headers: {
        'X-Total-Count': {
          description: 'The number of all entities that the filter selects.',
          schema: count,
        },
        Link: {
          description: 'With _page, the addresses of the first, previous, next and last page.',
          schema: text,
        },
      },
    },
    OF_READS,
  )
  const summary = `Entities of ${dataClass.name}; paths such as author.name are filters too`
  return {
    get: described(`${id}.list`, summary, listed, listParameters(dataClass, names)),
    post: creating(`${id}.create`, `Creates an entity of ${dataClass.name}`, dataClass),
  }
}

/** An operation of plain REST. */
const described = (
  id: string,
  summary: string,
  answers: Responses,
  parameters?: readonly Piece[],
  body?: Piece,
): Piece => operation('$plain', id, summary, answers, parameters, body)

const creating = (id: string, summary: string, dataClass: ClassModel): Piece =>
  described(id, summary, created(dataClass), undefined, bodyOf(dataClass))

const created = (dataClass: ClassModel) =>
  createdResponses({
    description: 'The entity.',
    content: jsonContent(plainEntity(dataClass)),
    headers: { Location: { description: 'Its address.', schema: text } },
  })

/** One entity: its members, and changes of them. */
function entityItem(id: string, dataClass: ClassModel, names: Names): Piece {
  const entity = jsonContent(plainEntity(dataClass))
  const read = plainResponses(
    {
      description: 'The entity.',
      content: entity,
      headers: { ETag: { description: 'For If-Match.', schema: text } },
    },
    OF_READS,
  )
  const saved = plainResponses(
    { description: 'The entity as it is stored.', content: entity },
    OF_WRITES,
  )
  const [tag, body] = [refs('ifMatch'), bodyOf(dataClass)]
  const answers = { ...read, ...UNCHANGED }
  const parameters = [...includeParameters(dataClass, names), ...refs('ifNoneMatch')]
  return {
    get: described(`${id}.get`, `An entity of ${dataClass.name}`, answers, parameters),
    patch: described(`${id}.update`, 'Changes the given members', saved, tag, body),
    put: described(`${id}.replace`, 'Replaces all members', saved, tag, body),
  }
}

function bodyOf(dataClass: ClassModel): Piece {
  const schema = plainInput(dataClass)
  return { content: { ...jsonContent(schema), 'application/x-www-form-urlencoded': { schema } } }
}

function wholeStore(resources: readonly PlainResource[], names: Names): Piece {
  const properties = pieceOf(
    resources.map(({ name, dataClass, only }) => {
      const entity = plainEntity(names.dataClass(dataClass))
      return [name, only === null ? arrayOf(entity) : orNull(entity)] as const
    }),
  )
  const content = jsonContent({ type: 'object', properties, additionalProperties: false })
  const answers = plainResponses({ description: 'An object of all resources.', content }, OF_READS)
  return { get: described('$plain', 'The whole store', answers) }
}
