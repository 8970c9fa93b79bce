/**
 * The generator of `iterate`, whose `return` also ends a wait: it aborts the signal that `iterate`
 * receives, before it waits for the body. Without this, `return` settles only after the value that
 * a call of `next` waits for, which may never come.
 */
export function endedByReturn<T>(
  iterate: (ended: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const ending = new AbortController()
  const iteration = iterate(ending.signal)
  const end = iteration.return.bind(iteration)
  return Object.assign(iteration, {
    return(value: void | PromiseLike<void>) {
      ending.abort()
      return end(value)
    },
  })
}
