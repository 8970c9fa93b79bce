import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Remembers the focused element when a panel opens or shows something else, and focuses it again
 * when the panel closes. If it is gone, it focuses the tab stop of the grid.
 */
export function useReturnFocus(open: string | null): void {
  const opener = useRef<HTMLElement | null>(null)
  const wasOpen = useRef(open !== null)
  // Read before the panel is added, which takes the focus.
  const focused = document.activeElement
  useLayoutEffect(() => {
    const { activeElement } = document
    if (open !== null) {
      if (focused instanceof HTMLElement && focused.closest('.panel') === null)
        opener.current = focused
    } else if (wasOpen.current && (activeElement === null || activeElement === document.body)) {
      const kept = opener.current
      const target =
        kept?.isConnected && kept !== document.body
          ? kept
          : document.querySelector<HTMLElement>('.grid [tabindex="0"]')
      target?.focus({ preventScroll: true })
    }
    wasOpen.current = open !== null
  }, [open])
}
