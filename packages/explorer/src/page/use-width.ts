import type { Ref } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in pixels, whenever it changes; `before` until it is known. */
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
