import { notApplicable } from './not-applicable.ts'

/** A validator that no entity has: the precondition fails, as it must. */
const NO_STAMP = -1

/**
 * The stamp of `If-Match: "<stamp>"`, or of `"<stamp>-<version>"` as images have it; null for none and for `*`. Weak tags
 * are no stamp: what this compares, it compares strongly.
 */
export function parseIfMatch(header: string | null): number | null {
  if (header === null || header.trim() === '*') return null
  const stamp = /^\s*"(\d{1,15})(?:-[\da-z]+)?"\s*$/.exec(header)?.[1]
  return stamp === undefined ? NO_STAMP : Number(stamp)
}

/** Refuses `If-Match` where no one entity has the stamp: ignored, it would let a change through. Throws methodNotApplicable. */
export function refuseIfMatch(header: string | null, problem: string): void {
  if (parseIfMatch(header) !== null) throw notApplicable('If-Match', problem)
}
