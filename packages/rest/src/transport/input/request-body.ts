import type { Awaitable } from '../../engine/awaitable.ts'
import type { RawBody } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import { type RequestHead, takesMedia } from '../../request/request.ts'
import type { BodyHold } from '../body/body-budget.ts'
import { readBody } from '../body/body-reader.ts'
import type { HeaderLookup } from './cross-site.ts'
import type { RestInput } from './rest-input.ts'

/** What a request without a body has. */
export const NO_BODY: RawBody = { kind: 'text', text: '', contentType: '' }

/** Reads the body of a request, as long as its kind may be. Throws what `readBody` throws. */
export function readRequestBody(
  input: RestInput,
  head: RequestHead,
  header: HeaderLookup,
  limits: Limits,
  hold: BodyHold,
): Awaitable<RawBody> {
  const bound = takesMedia(head, header('content-type'))
    ? { maxBytes: limits.maxMediaBytes, option: 'limits.maxMediaBytes' }
    : { maxBytes: limits.maxBodyBytes, option: 'limits.maxBodyBytes' }
  return readBody(input.body, header, bound, hold)
}
