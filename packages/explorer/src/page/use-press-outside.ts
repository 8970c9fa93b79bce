import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Runs the latest `act` when the pointer is pressed outside of an element. */
export function usePressOutside(of: RefObject<HTMLElement | null>, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && of.current?.contains(target) !== true) latest.current()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [])
}
