import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { store, stored } from './storage.ts'
import { useIsNarrow } from './use-size.ts'

const choiceKey = 'entia sidebar'

export interface Drawer {
  readonly isShown: boolean
  /** On a phone the sidebar is a drawer above the page. */
  readonly isNarrow: boolean
  /** Shows the sidebar and focuses its search. */
  readonly show: () => void
  /** Hides the sidebar and focuses the button that shows it. */
  readonly hide: () => void
  /** Closes the drawer of a phone; returns whether it was open. A sidebar beside the page stays. */
  readonly leave: () => boolean
}

/** Whether the sidebar is shown: stored in the browser, and closed at first on a phone. */
export function useDrawer(): Drawer {
  const isNarrow = useIsNarrow()
  const [isPinned, setIsPinned] = useState(() => stored(choiceKey) !== 'hidden')
  const [isDrawn, setIsDrawn] = useState(false)
  const next = useRef<string | null>(null)
  const isShown = isNarrow ? isDrawn : isPinned
  // Before the next key or click, which may move the focus elsewhere.
  useLayoutEffect(() => {
    if (next.current !== null) document.querySelector<HTMLElement>(next.current)?.focus()
    next.current = null
  }, [isShown])
  const set = (shows: boolean) => {
    if (isNarrow) setIsDrawn(shows)
    else {
      setIsPinned(shows)
      store(choiceKey, shows ? 'shown' : 'hidden')
    }
  }
  return {
    isShown,
    isNarrow,
    show: () => {
      if (isShown) document.getElementById('class-search')?.focus()
      else next.current = '#class-search'
      set(true)
    },
    hide: () => {
      next.current = '.menu-button'
      set(false)
    },
    leave: () => {
      const wasOpen = isNarrow && isDrawn
      if (wasOpen) next.current = '.menu-button'
      setIsDrawn(false)
      return wasOpen
    },
  }
}
