import type { Selecting } from './use-selected.ts'

interface RowPicksProps {
  readonly selecting: Selecting
  /** The key of each row; null for rows without an entity. */
  readonly keys: readonly (string | null)[]
  /** The row of the focus; -1 for the headers. */
  readonly row: number
  readonly move: (event: KeyboardEvent) => boolean
}

/** How clicks and keys in the grid select rows. Each returns whether it did. */
export function rowPicks({ selecting, keys, row, move }: RowPicksProps) {
  return {
    /** A click into a row selects it with Shift or Ctrl. */
    byRow(event: MouseEvent, key: string): boolean {
      if (event.shiftKey) selecting.extend(keys, key)
      else if (event.ctrlKey || event.metaKey) selecting.toggle(key)
      else return false
      return true
    },
    byBox(event: MouseEvent, key: string): void {
      if (event.shiftKey) selecting.extend(keys, key)
      else selecting.toggle(key)
    },
    byKey(event: KeyboardEvent): boolean {
      const key = keys[row]
      const isCommand = event.ctrlKey || event.metaKey
      if (isCommand && event.key.toLowerCase() === 'a') selecting.all()
      else if (!event.shiftKey || isCommand || key == null) return false
      else if (event.key === ' ') selecting.toggle(key)
      else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        const next = keys[row + (event.key === 'ArrowDown' ? 1 : -1)]
        selecting.extend(keys, key)
        if (next != null) selecting.extend(keys, next)
        move(event)
      } else return false
      return true
    },
  }
}
