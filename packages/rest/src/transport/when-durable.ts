import type { Awaitable } from '../door/awaitable.ts'

/**
 * What a request that changes something answers or throws, once that is durable. What fails may have changed something before: a
 * function that throws at its end, for example. Throws what `durable` throws, whatever became of the request.
 */
export async function whenDurable<T>(answer: () => Awaitable<T>, durable: () => Promise<void>): Promise<T> {
  try {
    return await answer()
  } finally {
    await durable()
  }
}
