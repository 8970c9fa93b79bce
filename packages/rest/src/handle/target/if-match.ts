import type { Precondition } from '../../engine/query-parts.ts'
import { notApplicable } from '../context/not-applicable.ts'

/** A precondition that no entity meets. */
const UNMET: Precondition = { stamp: -1, life: null }

/**
 * Parses `If-Match`: `"<stamp>"`, or an ETag, which starts with the stamp and the life of the
 * entity. Null for no header and for `*`. Weak tags never match, since `If-Match` requires strong
 * comparison.
 */
export function parseIfMatch(header: string | null): Precondition | null {
  if (header === null || header.trim() === '*') return null
  const [, stamp, life = null] =
    /^\s*"(\d{1,15})(?:-([\da-z]{1,40})(?:-[\da-z]{1,40})?)?"\s*$/.exec(header) ?? []
  return stamp === undefined ? UNMET : { stamp: Number(stamp), life }
}

/**
 * Refuses `If-Match` for requests that are not about exactly one entity: if ignored, a change would
 * pass unchecked. Throws methodNotApplicable.
 */
export function refuseIfMatch(header: string | null, problem: string): void {
  if (parseIfMatch(header) !== null) throw notApplicable('If-Match', problem)
}
