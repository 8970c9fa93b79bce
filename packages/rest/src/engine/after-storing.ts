import { restError } from '../errors/rest-error.ts'
import { type Awaitable, isPromise } from './awaitable.ts'

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
  const refuse = (cause: unknown): never => {
    if (stored.count === 0) throw cause
    throw restError(
      'internalError',
      { problem: `${sentence(stored)}, but the answer cannot be made.` },
      { cause },
    )
  }
  try {
    const answered = answer()
    return isPromise(answered) ? (answered.catch(refuse) as T) : answered
  } catch (cause) {
    return refuse(cause)
  }
}

function sentence({ count, of, verb }: Stored): string {
  return of === 1 ? `The entity is ${verb}` : `${count} of ${of} entities are ${verb}`
}
