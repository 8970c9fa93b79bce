import { useEffect, useState } from 'preact/hooks'
import { Refusal } from './api.ts'

export interface Answer<T> {
  /** The last response; it stays while the next request is running. */
  readonly value: T | null
  readonly refusal: Refusal | null
  readonly isLoading: boolean
}

/** Sends the request again when `key` changes and drops late responses. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, refusal: null, isLoading: true })
  useEffect(() => {
    const stop = new AbortController()
    setAnswer((before) => ({ ...before, isLoading: true }))
    ask(stop.signal).then(
      (value) => stop.signal.aborted || setAnswer({ value, refusal: null, isLoading: false }),
      (error) => {
        if (stop.signal.aborted) return
        setAnswer({
          value: null,
          refusal: error instanceof Refusal ? error : new Refusal(0, null),
          isLoading: false,
        })
      },
    )
    return () => stop.abort()
  }, [key])
  return answer
}
