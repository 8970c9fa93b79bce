import type { EntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import type { Parameters } from '../../request/parameters.ts'

/** The error for a combination that the interface does not have. */
export function notApplicable(what: string, problem: string): EntiaError {
  return restError('methodNotApplicable', { what, problem })
}

/**
 * Refuses the first of several features that is given, all for the same reason. Throws
 * methodNotApplicable.
 */
export function refuseGiven(
  given: readonly (readonly [what: string, isGiven: boolean])[],
  problem: string,
): void {
  for (const [what, isGiven] of given) if (isGiven) throw notApplicable(what, problem)
}

/** Refuses parameters that request values in place of entities. Throws methodNotApplicable. */
export function refuseValues({ compute, distinct, groupBy }: Parameters, problem: string): void {
  if (compute !== null) throw notApplicable('$compute', problem)
  if (distinct) throw notApplicable('$distinct', problem)
  if (groupBy !== null) throw notApplicable('$groupby', problem)
}
