import { useEffect, useState } from 'preact/hooks'

/** Counts up every so many milliseconds while the browser tab is shown. */
export function useEvery(milliseconds: number): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setCount((before) => before + 1)
    }, milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
  return count
}
