import { useRef, useState } from 'preact/hooks'
import { selectionPath } from './addresses.ts'
import type { Place } from './place.ts'
import {
  allSelected,
  isSelected,
  noneSelected,
  rangeOfRows,
  type Selected,
  withRows,
} from './selected.ts'

/** The selected rows, and how clicks and keys change them. */
export interface Selecting {
  readonly selected: Selected
  readonly has: (key: string) => boolean
  /** Selects a row, or no longer selects it; the next range begins there. */
  readonly toggle: (key: string) => void
  /** Selects the rows from the last toggled one to this one. `keys`: those of the shown rows. */
  readonly extend: (keys: readonly (string | null)[], key: string) => void
  readonly put: (keys: readonly string[], becomesSelected: boolean) => void
  readonly all: () => void
  readonly clear: () => void
}

/** Other pages, orders and columns keep the selected rows; another selection has none. */
export function useSelected(place: Place): Selecting {
  const selection = JSON.stringify([selectionPath(place), place.filter])
  const [state, setState] = useState({ selection, selected: noneSelected })
  const anchor = useRef<string | null>(null)
  const selected = state.selection === selection ? state.selected : noneSelected
  const latest = useRef(selected)
  latest.current = selected
  const set = (next: Selected) => {
    latest.current = next
    setState({ selection, selected: next })
  }
  return {
    selected,
    has: (key) => isSelected(selected, key),
    toggle(key) {
      anchor.current = key
      set(withRows(latest.current, [key], !isSelected(latest.current, key)))
    },
    extend(keys, key) {
      set(withRows(latest.current, rangeOfRows(keys, anchor.current, key), true))
      if (anchor.current === null || !keys.includes(anchor.current)) anchor.current = key
    },
    put: (keys, becomesSelected) => set(withRows(latest.current, keys, becomesSelected)),
    all: () => set(allSelected),
    clear: () => set(noneSelected),
  }
}
