import type { Precondition, RequiredState } from '../../engine/query-parts.ts'
import { notApplicable } from '../context/not-applicable.ts'

/**
 * Parses `If-Match`, a list of tags of which one must match: `"<stamp>"`, or an ETag, which starts
 * with the stamp and the life of the entity. Null for no header and for `*`. Other tags never
 * match, nor do weak ones, since `If-Match` requires strong comparison.
 */
export function parseIfMatch(header: string | null): Precondition | null {
  if (header === null || header.trim() === '*') return null
  const states: RequiredState[] = []
  // A tag may contain commas, so the list is read tag by tag.
  for (const [, tag = ''] of header.matchAll(/(?<![^\s,])"([^"]*)"(?![^\s,])/g)) {
    const [, stamp, life = null] = TAG.exec(tag) ?? []
    if (stamp !== undefined) states.push({ stamp: Number(stamp), life })
  }
  return states
}

const TAG = /^(\d{1,15})(?:-([\da-z]{1,40})(?:-[\da-z]{1,40})?)?$/

/**
 * Refuses `If-Match` for requests that are not about exactly one entity: if ignored, a change would
 * pass unchecked. Throws methodNotApplicable.
 */
export function refuseIfMatch(header: string | null, problem: string): void {
  if (parseIfMatch(header) !== null) throw notApplicable('If-Match', problem)
}
