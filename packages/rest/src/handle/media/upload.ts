import type { RestRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { notApplicable } from '../context/not-applicable.ts'
import { parseMedia } from './media-body.ts'

/**
 * `$upload`: keeps the content of a body under an id until a write names it, at most for
 * `$timeout`. Throws what `parseMedia` throws, methodNotApplicable, budgetExceeded.
 */
export async function upload(
  { action, parameters, body }: RestRequest,
  { engine, caller }: HandleContext,
): Promise<Answer> {
  const { rawPict, binary, timeoutSeconds } = parameters
  if (action !== 'update') throw notApplicable('$method', '$upload takes none')
  const isImage = rawPict !== null && rawPict !== 'false' && rawPict !== '0'
  if (isImage === binary)
    throw notApplicable(
      '$upload',
      'it takes $rawPict=true for an image, or $binary=true for a BLOB',
    )
  const claim = isImage
    ? ({ type: 'image', rawPict } as const)
    : ({ type: 'blob', rawPict: null } as const)
  const media = parseMedia(body, { ...claim, isExplicit: true })
  return { kind: 'uploaded', id: await engine.upload(media, timeoutSeconds, caller) }
}
