import type { RestResponse } from './serialize.ts'
import { NOT_MODIFIED } from './status.ts'

/** The state of an entity: a stamp is unique within a life. */
interface EntityState {
  readonly stamp: number
  readonly life: string
}

/**
 * The ETag of an answer that shows exactly one entity. It starts with the stamp, so that users can
 * write `If-Match` by hand. Stamp and life identify the state of the entity, `print` what is shown
 * and how. Together they identify the bytes of the answer without reading them.
 */
export const entityEtag = ({ stamp, life }: EntityState, print: string): string =>
  `"${stamp}-${life}-${print}"`

/**
 * The ETag of an image or BLOB: its content changes only with the entity, and each format has its
 * own address.
 */
export const mediaEtag = ({ stamp, life }: EntityState): string => `"${stamp}-${life}"`

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
