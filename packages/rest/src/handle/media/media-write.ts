import { EntiaError } from '@entia/core'
import { typeOf } from '../../engine/names.ts'
import { isWritable, type ValueAttribute } from '../../engine/projection.ts'
import type { DataRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { notApplicable } from '../context/not-applicable.ts'
import type { DataTarget } from '../target/data-target.ts'
import { referenceText } from '../target/entity-key.ts'
import { parseIfMatch } from '../target/if-match.ts'
import { projectionOf } from './media.ts'
import { parseMedia } from './media-body.ts'

/**
 * Sets, replaces or clears one image or BLOB: an update of its entity with hooks, rules and locks.
 * A refusal is answered like that of an update. Throws what `parseMedia` throws,
 * methodNotApplicable, attributeReadOnly.
 */
export async function writeMedia(
  { dataClass, owner }: DataTarget,
  attribute: ValueAttribute,
  request: DataRequest,
  { engine, caller }: HandleContext,
): Promise<Answer> {
  const { parameters, action } = request
  const reference = owner!
  if (action === 'insert')
    throw notApplicable('$method=insert', 'the address names an entity that exists')
  if (parameters.refresh)
    throw notApplicable('$refresh', 'it does not take the content of an image or BLOB')
  if (!isWritable(attribute))
    throw new EntiaError('attributeReadOnly', {
      dataClass: dataClass.name,
      attribute: attribute.name,
      remedy: 'Write the attribute that it is made from.',
    })
  const projection = projectionOf(dataClass, attribute)
  const answer = await engine.write(
    {
      dataClass,
      items: [
        {
          reference,
          keyText: referenceText(reference),
          refusal: null,
          stamp: null,
          precondition: parseIfMatch(request.conditions.ifMatch),
          values: new Map([
            [attribute.name, action === 'delete' ? null : contentOf(attribute, request)],
          ]),
          echoes: new Map(),
        },
      ],
      atomic: false,
      refresh: false,
      filter: parameters.filter,
      projection,
      relatedTop: 0,
      maxEntities: 1,
    },
    caller,
  )
  if (answer.outcomes[0]?.kind === 'saved') return { kind: 'done' }
  return {
    kind: 'written',
    projection,
    globalStamp: answer.globalStamp,
    answer,
    isArray: false,
    atomic: false,
    isoTimestamps: false,
  }
}

function contentOf(attribute: ValueAttribute, { parameters, body }: DataRequest): unknown {
  const { rawPict, binary } = parameters
  const isImage = typeOf(attribute) === 'image'
  if (rawPict !== null && !isImage)
    throw notApplicable('$rawPict', `"${attribute.name}" is not an image`)
  return parseMedia(body, {
    type: isImage ? 'image' : 'blob',
    rawPict,
    isExplicit: rawPict !== null || binary,
  })
}
