import type { ClassModel } from '@entia/core'
import { typeOf } from '../../engine/names.ts'
import type { ValueAttribute } from '../../engine/projection.ts'
import { ofDataClass } from './operation.ts'
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
  const id = `content.${componentName(name)}`
  const ok = jsonContent(schemaRef('rest.Ok'))
  const write = {
    post: ofDataClass(
      dataClass,
      `${id}.write`,
      `Replaces the content of ${name}`,
      responses('It was stored.', ok, [...OF_WRITES, 'mediaType']),
      {
        parameters: refs(...(isImage(attribute) ? ['rawPict'] : []), 'ifMatch'),
        requestBody: {
          required: true,
          content: { 'image/*': bytes, 'application/octet-stream': bytes },
        },
      },
    ),
    delete: ofDataClass(
      dataClass,
      `${id}.remove`,
      `Removes the content of ${name}`,
      responses('It is null now.', ok, OF_WRITES),
    ),
  }
  const expand = {
    in: 'query',
    required: true,
    description: 'The attribute itself.',
    schema: { const: name },
  }
  const answers = responses('The bytes; {} if there are none.', content, OF_READS)
  return {
    parameters: ofClass(dataClass, 'key'),
    get: ofDataClass(dataClass, id, `The content of ${name}`, answers, {
      parameters: [
        { name: '$expand', ...expand, example: name },
        ...refs(...(isImage(attribute) ? ['imageformat', 'binary'] : ['binary'])),
      ],
    }),
    ...(attribute.kind === 'storage' ? write : {}),
  }
}
