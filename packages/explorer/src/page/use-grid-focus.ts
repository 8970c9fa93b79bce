import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The header is row -1. */
const head = -1

interface GridFocusProps {
  /** The key of each row; null for rows without an entity. */
  readonly keys: readonly (string | null)[]
  readonly columns: number
  /** The shown page, from 0. */
  readonly page: number
  readonly lastPage: number
  readonly turn: (page: number) => void
}

interface GridFocus {
  readonly table: RefObject<HTMLTableElement | null>
  readonly row: number
  readonly column: number
  readonly setFocus: (row: number, column: number) => void
  /** Handles the keys that move; returns whether it did. */
  readonly move: (event: KeyboardEvent) => boolean
}

interface At {
  readonly row: number
  /** Of the entity in the row: the focus follows it when rows are added or sorted. */
  readonly key: string | null
  readonly column: number
}

/**
 * Makes a table one tab stop. Arrows, Home, End, PageUp and PageDown move between cells and to the
 * headers; PageDown on the last row shows the next page, PageUp on the first row the previous one.
 */
export function useGridFocus({ keys, columns, page, lastPage, turn }: GridFocusProps): GridFocus {
  const table = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<At>({ row: 0, key: null, column: 0 })
  const landsOnLast = useRef(false)
  const shownPage = useRef(page)
  // An effect after painting would move the tab stop away from a cell that is focused meanwhile.
  useLayoutEffect(() => {
    if (shownPage.current === page) return
    shownPage.current = page
    setAt(({ column }) => ({ row: landsOnLast.current ? keys.length : 0, key: null, column }))
    landsOnLast.current = false
  }, [page])
  const found = at.key === null ? -1 : keys.indexOf(at.key)
  const row =
    at.row === head || keys.length === 0
      ? head
      : Math.max(0, found >= 0 ? found : Math.min(at.row, keys.length - 1))
  const column = Math.max(0, Math.min(at.column, columns - 1))

  const elementAt = (r: number, c: number) => {
    // The first cell of a row has the box that selects it.
    const cell = table.current?.rows[r + 1]?.cells[c + 1]
    return cell?.querySelector<HTMLElement>('th > button') ?? cell
  }
  const setFocus = (r: number, c: number) => setAt({ row: r, key: keys[r] ?? null, column: c })
  const moveTo = (r: number, c: number) => {
    const [toRow, toColumn] = [
      Math.max(head, Math.min(r, keys.length - 1)),
      Math.max(0, Math.min(c, columns - 1)),
    ]
    setFocus(toRow, toColumn)
    const element = elementAt(toRow, toColumn)
    element?.focus({ preventScroll: true })
    if (toRow > head) element?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const movePage = (sign: 1 | -1) => {
    const last = keys.length - 1
    const isAtEnd = sign > 0 ? row === last : row <= 0
    const next = page + sign
    if (isAtEnd && next >= 0 && next <= lastPage) {
      landsOnLast.current = sign < 0
      turn(next)
    } else moveTo(Math.max(0, Math.min(last, row + sign * rowsInView(table.current))), column)
  }
  const move = (event: KeyboardEvent): boolean => {
    switch (event.key) {
      case 'ArrowDown':
        moveTo(row + 1, column)
        return true
      case 'ArrowUp':
        moveTo(row - 1, column)
        return true
      case 'ArrowRight':
        moveTo(row, column + 1)
        return true
      case 'ArrowLeft':
        moveTo(row, column - 1)
        return true
      case 'Home':
        moveTo(event.ctrlKey ? 0 : row, 0)
        return true
      case 'End':
        moveTo(event.ctrlKey ? keys.length - 1 : row, columns - 1)
        return true
      case 'PageDown':
        movePage(1)
        return true
      case 'PageUp':
        movePage(-1)
        return true
      default:
        return false
    }
  }
  // A new page, or a reload that moves rows, removes the focused cell or takes its focus.
  const hadFocus = table.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (!hadFocus || table.current?.contains(document.activeElement) === true) return
    // A cell that is edited keeps the keys that are typed.
    const edited = table.current?.querySelector<HTMLElement>(
      '.cell-editor :is(input, select, textarea)',
    )
    const next = edited ?? elementAt(row, column)
    next?.focus({ preventScroll: true })
  })
  return { table, row, column, setFocus, move }
}

/** The number of rows that fit into the visible part of the grid, below its header. */
function rowsInView(table: HTMLTableElement | null): number {
  const frame = table?.parentElement
  const height = table?.tBodies[0]?.rows[0]?.offsetHeight ?? 0
  if (frame == null || height === 0) return 1
  return Math.max(1, Math.floor((frame.clientHeight - height) / height) - 1)
}
