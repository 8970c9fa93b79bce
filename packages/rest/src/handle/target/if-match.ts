import type { Precondition } from '../../engine/query-parts.ts'
import { notApplicable } from '../context/not-applicable.ts'

/** What no entity meets: the precondition fails, as it must. */
const UNMET: Precondition = { stamp: -1, life: null }

/**
 * What `If-Match` asks: `"<stamp>"`, or an ETag, which begins with the stamp and names the life of the entity behind it. Null for no header and for
 * `*`. Weak tags meet nothing: this comparison is a strong one.
 */
export function parseIfMatch(header: string | null): Precondition | null {
  if (header === null || header.trim() === '*') return null
  const [, stamp, life = null] = /^\s*"(\d{1,15})(?:-([\da-z]{1,40})(?:-[\da-z]{1,40})?)?"\s*$/.exec(header) ?? []
  return stamp === undefined ? UNMET : { stamp: Number(stamp), life }
}

/** Refuses `If-Match` where no one entity has the stamp: ignored, it would let a change through. Throws methodNotApplicable. */
export function refuseIfMatch(header: string | null, problem: string): void {
  if (parseIfMatch(header) !== null) throw notApplicable('If-Match', problem)
}
