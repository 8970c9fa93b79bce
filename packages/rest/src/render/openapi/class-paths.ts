import type { AttributeModel, ClassModel } from '@entia/core'
import { isRelation, type Names, typeOf } from '../../door/names.ts'
import { isMediaAttribute, type ValueAttribute } from '../../door/projection.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { componentName, jsonContent, type Piece, parameterRef, pieceOf, schemaRef } from './schema.ts'

const segment = encodeURIComponent
const refs = (...names: readonly string[]): readonly Piece[] => names.map(parameterRef)
const anyOf = (...schemas: readonly Piece[]): Piece => jsonContent({ anyOf: schemas })

const PAGING = ['params', 'top', 'skip', 'queryplan', 'querypath']
const SHAPES = ['asArray', 'format']
const SET = ['timeout']

/** Operations on one dataclass, without its functions: paths below the base path. */
export function classPaths(dataClass: ClassModel, names: Names): Piece {
  const attributes = names.attributes(dataClass)
  const values = attributes.filter((attribute) => !isRelation(attribute)) as readonly ValueAttribute[]
  const home = `/${segment(dataClass.name)}`
  const one = `${home}({key})`
  return pieceOf([
    [home, { get: listOf(dataClass), ...writesOf(dataClass), delete: removeMany(dataClass) }],
    [one, oneOf(dataClass)],
    ...attributes
      .filter(isRelation)
      .map((relation) => [`${one}/${segment(relation.name)}`, related(dataClass, relation)] as const),
    ...values
      .filter(isMediaAttribute)
      .map((attribute) => [`${one}/${segment(attribute.name)}`, mediaOf(dataClass, attribute)] as const),
    ...values
      .filter((attribute) => attribute.kind === 'storage' && attribute.unique && !attribute.key)
      .map((attribute) => [`${home}:${segment(attribute.name)}({value})`, byValue(dataClass, attribute)] as const),
    ...(values.length > 0 ? [[`${home}/{attributes}`, valuesOf(dataClass, values)] as const] : []),
    [`${home}/$entityset/{id}`, entitySetOf(dataClass)],
  ])
}

const ofClass = (dataClass: ClassModel, ...parts: readonly string[]): readonly Piece[] =>
  refs(...parts.map((part) => `${componentName(dataClass.name)}.${part}`))

/** The answer to a page in all its shapes. */
function pageContent(dataClass: ClassModel, ...others: readonly Piece[]): Piece {
  const name = componentName(dataClass.name)
  const bare = { type: 'array', items: schemaRef(name) }
  return anyOf(schemaRef(`${name}.page`), bare, schemaRef('rest.Dashboard'), ...others)
}

function listOf(dataClass: ClassModel): Piece {
  return {
    tags: [dataClass.name],
    operationId: `${dataClass.name}.list`,
    summary: `A page of ${dataClass.name}`,
    parameters: [
      ...ofClass(dataClass, 'filter', 'orderby', 'attributes', 'expand'),
      ...refs(...PAGING, ...SHAPES, 'keep', ...SET),
    ],
    responses: responses('A page, a bare array, or rows of a table.', pageContent(dataClass), OF_READS),
  }
}

function writesOf(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  const input = schemaRef(`${name}.input`)
  const write = (verb: string): Piece => ({
    tags: [dataClass.name],
    operationId: `${dataClass.name}.save.${verb}`,
    summary: 'Saves an entity, or many: an update for each that has a __KEY',
    parameters: [
      ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
      ...refs('params', 'write', 'atomic', 'refresh'),
    ],
    requestBody: { required: true, content: anyOf(input, { type: 'array', items: input }) },
    responses: responses(
      'What became of it, or of each.',
      anyOf(schemaRef(`${name}.written`), schemaRef(`${name}.batch`), schemaRef('rest.Ok')),
      OF_WRITES,
      jsonContent(schemaRef(`${name}.batch`)),
    ),
  })
  return { post: write('post'), put: write('put') }
}

function removeMany(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  return {
    tags: [dataClass.name],
    operationId: `${dataClass.name}.removeMany`,
    summary: 'Removes what the filter selects',
    parameters: [...ofClass(dataClass, 'filter'), ...refs('params', 'atomic')],
    responses: responses(
      'All of them were removed.',
      jsonContent(schemaRef('rest.Ok')),
      OF_WRITES,
      jsonContent(schemaRef(`${name}.batch`)),
    ),
  }
}

function oneOf(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  const tags = [dataClass.name]
  const write = (verb: string): Piece => ({
    tags,
    operationId: `${dataClass.name}.update.${verb}`,
    summary: 'Updates an entity',
    parameters: [...ofClass(dataClass, 'filter', 'attributes', 'expand'), ...refs('params', 'refresh', 'ifMatch')],
    requestBody: { required: true, content: jsonContent(schemaRef(`${name}.input`)) },
    responses: responses('The entity as it is stored.', jsonContent(schemaRef(`${name}.written`)), OF_WRITES),
  })
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags,
      operationId: `${dataClass.name}.get`,
      summary: 'An entity by its key, or a lock of it',
      parameters: [...ofClass(dataClass, 'attributes', 'expand'), ...refs('queryplan', 'lock', 'ifMatch')],
      responses: {
        ...responses(
          'The entity; with $lock whether it was locked.',
          anyOf(schemaRef(name), schemaRef('rest.Lock')),
          OF_READS,
        ),
        304: { description: 'It is as If-None-Match has it.' },
      },
    },
    post: write('post'),
    put: write('put'),
    delete: {
      tags,
      operationId: `${dataClass.name}.remove`,
      summary: 'Removes an entity',
      parameters: refs('ifMatch'),
      responses: responses('It was removed.', jsonContent(schemaRef('rest.Ok')), OF_WRITES),
    },
  }
}

function byValue(dataClass: ClassModel, { name: attribute }: ValueAttribute): Piece {
  return {
    parameters: [
      { name: 'value', in: 'path', required: true, description: `Of ${attribute}.`, schema: { type: 'string' } },
    ],
    get: {
      tags: [dataClass.name],
      operationId: `${dataClass.name}.getBy.${attribute}`,
      summary: `An entity by its ${attribute}`,
      parameters: ofClass(dataClass, 'attributes', 'expand'),
      responses: responses('The entity.', jsonContent(schemaRef(componentName(dataClass.name))), OF_READS),
    },
  }
}

function related(dataClass: ClassModel, relation: Extract<AttributeModel, { readonly target: ClassModel }>): Piece {
  const { target, kind, name } = relation
  const isOne = kind === 'relatedEntity'
  const parameters = isOne
    ? ofClass(target, 'attributes', 'expand')
    : [
        ...ofClass(target, 'filter', 'orderby', 'attributes', 'expand'),
        ...refs(...PAGING, ...SHAPES, 'keep', ...SET, 'subOrderby'),
      ]
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags: [dataClass.name],
      operationId: `${dataClass.name}.related.${name}`,
      summary: isOne ? `The ${target.name} of ${name}` : `A page of ${name}`,
      parameters,
      responses: isOne
        ? responses(
            'The related entity, or null.',
            anyOf(schemaRef(componentName(target.name)), { type: 'null' }),
            OF_READS,
          )
        : responses('A page, a bare array, or rows of a table.', pageContent(target), OF_READS),
    },
  }
}

const isImage = (attribute: ValueAttribute): boolean => typeOf(attribute) === 'image'

function mediaOf(dataClass: ClassModel, attribute: ValueAttribute): Piece {
  const { name } = attribute
  const bytes = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }
  const content = {
    'application/json': { schema: { type: 'object' } },
    'image/*': bytes,
    'application/octet-stream': bytes,
  }
  const tags = [dataClass.name]
  const write = {
    post: {
      tags,
      operationId: `${dataClass.name}.content.${name}.write`,
      summary: `Replaces the content of ${name}`,
      parameters: refs(...(isImage(attribute) ? ['rawPict'] : []), 'ifMatch'),
      requestBody: { required: true, content: { 'image/*': bytes, 'application/octet-stream': bytes } },
      responses: responses('It was stored.', jsonContent(schemaRef('rest.Ok')), [...OF_WRITES, 'mediaType']),
    },
    delete: {
      tags,
      operationId: `${dataClass.name}.content.${name}.remove`,
      summary: `Takes the content of ${name} away`,
      responses: responses('It is null now.', jsonContent(schemaRef('rest.Ok')), OF_WRITES),
    },
  }
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags,
      operationId: `${dataClass.name}.content.${name}`,
      summary: `The content of ${name}`,
      parameters: [
        {
          name: '$expand',
          in: 'query',
          required: true,
          description: 'The attribute itself.',
          schema: { const: name },
          example: name,
        },
        ...refs(...(isImage(attribute) ? ['imageformat', 'binary'] : ['binary'])),
      ],
      responses: responses('The bytes; {} where there are none.', content, OF_READS),
    },
    ...(attribute.kind === 'storage' ? write : {}),
  }
}

function valuesOf(dataClass: ClassModel, values: readonly ValueAttribute[]): Piece {
  const names = values.map(({ name }) => name)
  const scalar = values.find((attribute) => !isMediaAttribute(attribute)) ?? values[0]!
  return {
    parameters: [
      {
        name: 'attributes',
        in: 'path',
        required: true,
        description: `One or several with commas: ${names.join(', ')}.`,
        schema: { type: 'string' },
        example: scalar.name,
      },
    ],
    get: {
      tags: [dataClass.name],
      operationId: `${dataClass.name}.values`,
      summary: 'A page of these attributes, their aggregates, or the values of one',
      parameters: [...ofClass(dataClass, 'filter', 'orderby'), ...refs(...PAGING, 'compute', 'distinct', ...SHAPES)],
      responses: responses(
        'A page; with $compute aggregates or one of them; with $distinct values.',
        pageContent(
          dataClass,
          schemaRef('rest.Aggregates'),
          { type: 'array', items: { type: ['boolean', 'number', 'string', 'null'] } },
          { type: ['boolean', 'number', 'string', 'null'] },
        ),
        OF_READS,
      ),
    },
  }
}

function entitySetOf(dataClass: ClassModel): Piece {
  const tags = [dataClass.name]
  return {
    parameters: refs('setId'),
    get: {
      tags,
      operationId: `${dataClass.name}.entitySet`,
      summary: 'A page of an entity set, or of what it and another one make',
      parameters: [
        ...ofClass(dataClass, 'filter', 'orderby', 'attributes', 'expand'),
        ...refs(...PAGING, ...SHAPES, 'clean', 'keep', ...SET),
        ...refs('logicOperator', 'otherCollection', 'savedfilter', 'savedorderby'),
      ],
      responses: responses(
        'A page, a bare array, or rows of a table; of INTERSECT whether there is a common entity.',
        pageContent(dataClass, { type: 'boolean' }, schemaRef('rest.Ok')),
        OF_READS,
      ),
    },
    delete: {
      tags,
      operationId: `${dataClass.name}.entitySet.remove`,
      summary: 'Removes its entities, with $filter some of them',
      parameters: [...ofClass(dataClass, 'filter'), ...refs('params', 'atomic')],
      responses: responses(
        'All of them were removed.',
        jsonContent(schemaRef('rest.Ok')),
        OF_WRITES,
        jsonContent(schemaRef(`${componentName(dataClass.name)}.batch`)),
      ),
    },
  }
}
