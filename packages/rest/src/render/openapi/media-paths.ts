import type { ClassModel } from '@entia/core'
import { typeOf } from '../../engine/names.ts'
import type { ValueAttribute } from '../../engine/projection.ts'
import { ofClass } from './pages.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { componentName, jsonContent, type Piece, refs, schemaRef } from './schema.ts'

const isImage = (attribute: ValueAttribute): boolean => typeOf(attribute) === 'image'

/** The content of an image or BLOB: what it answers, and what replaces it. */
export function mediaOf(dataClass: ClassModel, attribute: ValueAttribute): Piece {
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
      operationId: `${componentName(dataClass.name)}.content.${componentName(name)}.write`,
      summary: `Replaces the content of ${name}`,
      parameters: refs(...(isImage(attribute) ? ['rawPict'] : []), 'ifMatch'),
      requestBody: { required: true, content: { 'image/*': bytes, 'application/octet-stream': bytes } },
      responses: responses('It was stored.', jsonContent(schemaRef('rest.Ok')), [...OF_WRITES, 'mediaType']),
    },
    delete: {
      tags,
      operationId: `${componentName(dataClass.name)}.content.${componentName(name)}.remove`,
      summary: `Takes the content of ${name} away`,
      responses: responses('It is null now.', jsonContent(schemaRef('rest.Ok')), OF_WRITES),
    },
  }
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags,
      operationId: `${componentName(dataClass.name)}.content.${componentName(name)}`,
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
