import { matchesAny } from '../../render/not-modified.ts'
import type { Reply } from '../../render/render.ts'
import type { RequestHead } from '../../request/request.ts'
import type { HeaderLookup } from '../input/cross-site.ts'

/** True when a reader has this very answer already: its ETag vouches for each byte of it. */
export function isHeld({ verb, changesState }: RequestHead, header: HeaderLookup, { headers }: Reply): boolean {
  if (verb !== 'GET' || changesState || headers.etag === undefined) return false
  return matchesAny(header('if-none-match'), headers.etag)
}
