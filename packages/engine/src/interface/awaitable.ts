import { engineError } from '../errors/engine-error.ts'

/** A value, or a promise of one. Callees that can answer synchronously do. */
export type Awaitable<T> = T | Promise<T>

/** True for a promise. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  )
}

/**
 * Continues with a value: synchronously unless it is a promise, so that a request that awaits
 * nothing is answered in the same task. A promise per step would cost more than most steps do.
 */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** How much of a change is stored. */
export interface Stored {
  readonly count: number
  readonly of: number
  readonly verb: 'saved' | 'deleted'
}

/**
 * Builds the answer to a change. If that fails after something was stored, the error says so: the
 * client must not conclude that nothing happened. Throws internalError with the failure as its
 * cause, or the failure itself if nothing is stored.
 */
export function afterStoring<T extends Awaitable<unknown>>(stored: Stored, answer: () => T): T {
  try {
    const answered = answer()
    if (!isPromise(answered)) return answered
    return answered.catch((cause) => refuseAnswer(stored, cause)) as T
  } catch (cause) {
    return refuseAnswer(stored, cause)
  }
}

function refuseAnswer({ count, of, verb }: Stored, cause: unknown): never {
  if (count === 0) throw cause
  const stored = of === 1 ? `The entity is ${verb}` : `${count} of ${of} entities are ${verb}`
  const problem = `${stored}, but the answer cannot be made.`
  throw engineError('internalError', { problem }, { cause })
}
