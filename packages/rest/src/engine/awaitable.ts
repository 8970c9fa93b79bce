/** A value, or the promise of one: whoever can answer at once does. */
export type Awaitable<T> = T | Promise<T>

/** True for what has to be waited for. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
  )
}

/**
 * Goes on with a value: at once where it is there, so that a request that waits for nothing is answered in the turn it came in. A
 * promise for each step would cost more than most steps do.
 */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Does something and, when it is done or has failed, what concludes it. */
export function concluding<T>(body: () => Awaitable<T>, conclude: () => void): Awaitable<T> {
  let isPending = false
  try {
    const value = body()
    isPending = isPromise(value)
    return isPromise(value) ? concluded(value, conclude) : value
  } finally {
    if (!isPending) conclude()
  }
}

/** What `finally` does, with one promise where that makes three. */
function concluded<T>(value: Promise<T>, conclude: () => void): Promise<T> {
  return value.then(
    (value) => {
      conclude()
      return value
    },
    (error) => {
      conclude()
      throw error
    },
  )
}
