import type { ClassModel } from '@entia/core'
import type { ValueAttribute } from '../../engine/projection.ts'
import { inPath, ofDataClass } from './operation.ts'
import { ofClass } from './pages.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { anyOf, componentName, jsonContent, type Piece, refs, schemaRef } from './schema.ts'

/** One entity, by its key. */
export function entityItem(dataClass: ClassModel): Piece {
  const entity = schemaRef(componentName(dataClass.name))
  const answers = responses(
    'The entity; with $lock whether it was locked.',
    anyOf(entity, { type: 'array', items: entity }, schemaRef('rest.Lock')),
    OF_READS,
  )
  const parameters = [
    ...ofClass(dataClass, 'attributes', 'expand'),
    ...refs('asArray', 'queryplan', 'lock', 'ifMatch', 'ifNoneMatch'),
  ]
  const unchanged = { 304: { description: 'The entity still has the ETag of If-None-Match.' } }
  return {
    parameters: ofClass(dataClass, 'key'),
    get: ofDataClass(
      dataClass,
      'get',
      'An entity by its key, or a lock of it',
      { ...answers, ...unchanged },
      { parameters },
    ),
    ...changesOf(dataClass, ''),
  }
}

/** The first entity with a value of an attribute. */
export function byValueItem(dataClass: ClassModel, values: readonly ValueAttribute[]): Piece {
  const answers = responses(
    'The entity.',
    jsonContent(schemaRef(componentName(dataClass.name))),
    OF_READS,
  )
  const parameters = ofClass(dataClass, 'attributes', 'expand')
  return {
    parameters: [
      inPath('attribute', 'A stored attribute.', {
        enum: values.map((attribute) => attribute.name),
      }),
      inPath('value', 'Its value, written like a key.', { type: 'string' }),
    ],
    get: ofDataClass(dataClass, 'getBy', 'The first entity with a value', answers, { parameters }),
    ...changesOf(dataClass, 'By'),
  }
}

/** Some attributes of one entity. */
export function partItem(dataClass: ClassModel, attributes: Piece): Piece {
  const entity = jsonContent(schemaRef(componentName(dataClass.name)))
  const answers = responses('The entity with these attributes.', entity, OF_READS)
  const parameters = ofClass(dataClass, 'expand')
  return {
    parameters: [...ofClass(dataClass, 'key'), attributes],
    get: ofDataClass(dataClass, 'getPart', 'Some attributes of an entity', answers, { parameters }),
  }
}

function changesOf(dataClass: ClassModel, how: '' | 'By'): Piece {
  const name = componentName(dataClass.name)
  const written = anyOf(
    schemaRef(`${name}.written`),
    schemaRef(`${name}.batch`),
    schemaRef('rest.Ok'),
  )
  const answers = responses('The entity as it is stored.', written, OF_WRITES)
  const request = {
    parameters: [
      ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
      ...refs('params', 'write', 'refresh', 'isoTimestamps', 'ifMatch'),
    ],
    requestBody: { content: jsonContent(schemaRef(`${name}.input`)) },
  }
  const summary = 'Updates an entity; with $method=delete removes it'
  const removed = responses('It was removed.', jsonContent(schemaRef('rest.Ok')), OF_WRITES)
  return {
    post: ofDataClass(dataClass, `update${how}.post`, summary, answers, request),
    put: ofDataClass(dataClass, `update${how}.put`, summary, answers, request),
    delete: ofDataClass(dataClass, `remove${how}`, 'Removes an entity', removed, {
      parameters: refs('ifMatch'),
    }),
  }
}
