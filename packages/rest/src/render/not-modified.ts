import type { RestResponse } from './serialize.ts'
import { NOT_MODIFIED } from './status.ts'

/** True if one of the client's validators matches the answer's. Reads compare weakly. */
export function matchesAny(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const own = opaqueOf(etag)
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((given) => opaqueOf(given) === own)
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/**
 * The answer to a client that has the content already: without a body and headers that describe
 * one.
 */
export function notModified({ headers }: RestResponse): RestResponse {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { status: NOT_MODIFIED, headers: Object.fromEntries(kept), body: '' }
}
