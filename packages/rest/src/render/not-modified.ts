import type { RestResponse } from './serialize.ts'
import { NOT_MODIFIED } from './status.ts'

/** True when one of the client's validators is the one of the answer. Validators compare weakly, as they do for reads. */
export function matchesAny(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const own = opaqueOf(etag)
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((given) => opaqueOf(given) === own)
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/** The answer to a client that has it already: its headers, but those that describe a body. */
export function notModified({ headers }: RestResponse): RestResponse {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { status: NOT_MODIFIED, headers: Object.fromEntries(kept), body: '' }
}
