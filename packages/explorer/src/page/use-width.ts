import type { Ref } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The current width of an element in pixels; `before` until it is measured. */
export function useWidth<T extends HTMLElement>(before: number): readonly [Ref<T>, number] {
  const element = useRef<T>(null)
  const [width, setWidth] = useState(before)
  useEffect(() => {
    const measured = element.current
    if (measured === null) return
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth))
    observer.observe(measured)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
