import type { Caller } from '../door/caller.ts'
import { matchesAny } from '../render/not-modified.ts'
import type { Reply } from '../render/render.ts'
import type { RequestHead } from '../request/request.ts'
import type { HeaderLookup } from './cross-site.ts'

/**
 * True when a reader has this very answer already. `If-Modified-Since`, which browsers send along, only speaks against
 * it: a store that was made anew begins its stamps again.
 */
export function isHeld(
  head: RequestHead,
  header: HeaderLookup,
  { headers, body, isDatedByEtag = true }: Reply,
  { access }: Caller,
): boolean {
  // What is shown of one entity changes with the caller, by a login for example; the content of an image does not.
  if (access !== null && typeof body === 'string') return false
  if (head.verb !== 'GET' || head.changesState || headers.etag === undefined || !isDatedByEtag) return false
  const since = header('if-modified-since')
  if (since !== null && headers['last-modified'] !== undefined && since !== headers['last-modified']) return false
  return matchesAny(header('if-none-match'), headers.etag)
}
