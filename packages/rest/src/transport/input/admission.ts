import { restError } from '../../errors/rest-error.ts'

/** Whether a request is taken now; with seconds, when it may be tried again. */
export type Admission = boolean | { readonly retryAfterSeconds: number }

/** Throws tooManyRequests for what is not admitted. */
export function refuseUnadmitted(admission: Admission): void {
  if (admission === true) return
  const seconds = admission === false ? Number.NaN : Math.ceil(admission.retryAfterSeconds)
  throw restError('tooManyRequests', {
    retryAfterSeconds: Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null,
  })
}
