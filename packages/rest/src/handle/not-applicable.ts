import { EntiaError } from '@entia/core'

/** What a part of the interface says of a combination that it does not have. */
export function notApplicable(what: string, problem: string): EntiaError {
  return new EntiaError('methodNotApplicable', { what, problem })
}
