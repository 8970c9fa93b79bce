import { useEffect, useState } from 'preact/hooks'
import { Refusal } from './api.ts'

export interface Answer<T> {
  /**
   * The last response. It stays while the next request is running, after a wrong request and while
   * the server cannot be reached, but not after the server refused access.
   */
  readonly value: T | null
  /** The key of `value`. */
  readonly valueKey: string | null
  readonly refusal: Refusal | null
  /** Whether the response to another key is awaited. */
  readonly isLoading: boolean
}

/**
 * Sends the request again when `key` or `round` changes and drops late responses. Another
 * round does not count as loading.
 */
export function useAnswer<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  round = '',
): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly key: string | null }>({
    value: null,
    valueKey: null,
    refusal: null,
    isLoading: true,
    key: null,
  })
  useEffect(() => {
    const stop = new AbortController()
    setAnswer((before) => (before.key === key ? before : { ...before, isLoading: true }))
    ask(stop.signal).then(
      (value) =>
        stop.signal.aborted ||
        setAnswer({ value, valueKey: key, refusal: null, isLoading: false, key }),
      (error) => {
        if (stop.signal.aborted) return
        const refusal = error instanceof Refusal ? error : new Refusal(0, null)
        setAnswer(({ value, valueKey }) => {
          const kept = keepsValue(refusal) ? { value, valueKey } : { value: null, valueKey: null }
          return { ...kept, refusal, isLoading: false, key }
        })
      },
    )
    return () => stop.abort()
  }, [key, round])
  return answer
}

function keepsValue({ status }: Refusal): boolean {
  return status === 0 || status === 400 || status === 429 || status >= 500
}
