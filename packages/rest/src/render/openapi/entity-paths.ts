import type { ClassModel } from '@entia/core'
import type { ValueAttribute } from '../../engine/projection.ts'
import { ofClass } from './pages.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { anyOf, componentName, jsonContent, type Piece, refs, schemaRef } from './schema.ts'

/** One entity, by its key. */
export function entityItem(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags: [dataClass.name],
      operationId: `${name}.get`,
      summary: 'An entity by its key, or a lock of it',
      parameters: [
        ...ofClass(dataClass, 'attributes', 'expand'),
        ...refs('asArray', 'queryplan', 'lock', 'ifMatch', 'ifNoneMatch'),
      ],
      responses: {
        ...responses(
          'The entity; with $lock whether it was locked.',
          anyOf(schemaRef(name), { type: 'array', items: schemaRef(name) }, schemaRef('rest.Lock')),
          OF_READS,
        ),
        304: { description: 'It is as If-None-Match has it.' },
      },
    },
    ...changesOf(dataClass, ''),
  }
}

/** The first entity with a value of an attribute. */
export function byValueItem(dataClass: ClassModel, values: readonly ValueAttribute[]): Piece {
  const name = componentName(dataClass.name)
  const text = { type: 'string' }
  return {
    parameters: [
      {
        name: 'attribute',
        in: 'path',
        required: true,
        description: 'A stored attribute.',
        schema: { enum: values.map((attribute) => attribute.name) },
      },
      { name: 'value', in: 'path', required: true, description: 'Its value, as a key is written.', schema: text },
    ],
    get: {
      tags: [dataClass.name],
      operationId: `${name}.getBy`,
      summary: 'The first entity with a value',
      parameters: ofClass(dataClass, 'attributes', 'expand'),
      responses: responses('The entity.', jsonContent(schemaRef(name)), OF_READS),
    },
    ...changesOf(dataClass, 'By'),
  }
}

/** Some attributes of one entity. */
export function partItem(dataClass: ClassModel, attributes: Piece): Piece {
  const name = componentName(dataClass.name)
  return {
    parameters: [...ofClass(dataClass, 'key'), attributes],
    get: {
      tags: [dataClass.name],
      operationId: `${name}.getPart`,
      summary: 'Some attributes of an entity',
      parameters: ofClass(dataClass, 'expand'),
      responses: responses('The entity with these attributes.', jsonContent(schemaRef(name)), OF_READS),
    },
  }
}

function changesOf(dataClass: ClassModel, how: '' | 'By'): Piece {
  const name = componentName(dataClass.name)
  const tags = [dataClass.name]
  const write = (verb: string): Piece => ({
    tags,
    operationId: `${name}.update${how}.${verb}`,
    summary: 'Updates an entity; with $method=delete removes it',
    parameters: [
      ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
      ...refs('params', 'write', 'refresh', 'ifMatch'),
    ],
    requestBody: { content: jsonContent(schemaRef(`${name}.input`)) },
    responses: responses(
      'The entity as it is stored.',
      anyOf(schemaRef(`${name}.written`), schemaRef(`${name}.batch`), schemaRef('rest.Ok')),
      OF_WRITES,
    ),
  })
  return {
    post: write('post'),
    put: write('put'),
    delete: {
      tags,
      operationId: `${name}.remove${how}`,
      summary: 'Removes an entity',
      parameters: refs('ifMatch'),
      responses: responses('It was removed.', jsonContent(schemaRef('rest.Ok')), OF_WRITES),
    },
  }
}
