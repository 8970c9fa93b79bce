import type { Ref } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Size } from './zoom.ts'

/** An element and its current size in pixels; null until it is measured. */
export function useSize<T extends HTMLElement>(): readonly [Ref<T>, Size | null] {
  const element = useRef<T>(null)
  const [size, setSize] = useState<Size | null>(null)
  useEffect(() => {
    const measured = element.current
    if (measured === null) return
    const observer = new ResizeObserver(() =>
      setSize({ width: measured.clientWidth, height: measured.clientHeight }),
    )
    observer.observe(measured)
    return () => observer.disconnect()
  }, [])
  return [element, size]
}

/** Whether the window is as narrow as a phone; page.css has the same limit. */
export function useIsNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 760px)'))
  const [isNarrow, setIsNarrow] = useState(query.matches)
  useEffect(() => {
    const onChange = () => setIsNarrow(query.matches)
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [query])
  return isNarrow
}
