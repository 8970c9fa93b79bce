import { useEffect, useState } from 'preact/hooks'
import { Refusal } from './api.ts'

export interface Answer<T> {
  /** What came last; stays while the next one is on its way. */
  readonly value: T | null
  readonly refusal: Refusal | null
  readonly isLoading: boolean
}

/** Asks again whenever `key` changes; an answer that comes too late is dropped. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, refusal: null, isLoading: true })
  useEffect(() => {
    const stop = new AbortController()
    setAnswer((before) => ({ ...before, isLoading: true }))
    ask(stop.signal).then(
      (value) => stop.signal.aborted || setAnswer({ value, refusal: null, isLoading: false }),
      (error) => {
        if (stop.signal.aborted) return
        setAnswer({ value: null, refusal: error instanceof Refusal ? error : new Refusal(0, null), isLoading: false })
      },
    )
    return () => stop.abort()
  }, [key])
  return answer
}
