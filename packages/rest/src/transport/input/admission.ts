import { restError } from '../../errors/rest-error.ts'

/** Whether a request is admitted; with seconds, when to retry. */
export type Admission = boolean | { readonly retryAfterSeconds: number }

/** Throws tooManyRequests for a request that is not admitted. */
export function refuseUnadmitted(admission: Admission): void {
  if (admission === true) return
  const seconds = admission === false ? Number.NaN : Math.ceil(admission.retryAfterSeconds)
  throw restError('tooManyRequests', {
    retryAfterSeconds: Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null,
  })
}
