import { type Awaitable, andThen } from '../../engine/awaitable.ts'
import { restError } from '../../errors/rest-error.ts'

/** Whether a request is admitted; with seconds, when to retry. */
export type Admission = boolean | { readonly retryAfterSeconds: number }

/** Goes on with an admitted request. Throws tooManyRequests for any other. */
export const admitted = <I, T>(
  admit: (input: I) => Awaitable<Admission>,
  input: I,
  proceed: () => Awaitable<T>,
): Awaitable<T> =>
  andThen(admit(input), (admission) => {
    refuseUnadmitted(admission)
    return proceed()
  })

function refuseUnadmitted(admission: Admission): void {
  if (admission === true) return
  const seconds = admission === false ? Number.NaN : Math.ceil(admission.retryAfterSeconds)
  throw restError('tooManyRequests', {
    retryAfterSeconds: Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null,
  })
}
