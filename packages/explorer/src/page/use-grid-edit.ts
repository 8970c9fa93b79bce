import { useRef, useState } from 'preact/hooks'
import { attributeOf, type DataClass, isEditable, membersOf } from './model.ts'

interface GridEditProps {
  readonly dataClass: DataClass
  /** The key of each row; null for rows without an entity. */
  readonly keys: readonly (string | null)[]
  readonly columns: readonly string[]
  readonly setFocus: (row: number, column: number) => void
  readonly notify: (text: string) => void
}

interface EditedCell {
  readonly key: string
  readonly name: string
}

/** Which cell is being edited. Tab moves over the editable cells, from row to row. */
export function useGridEdit({ dataClass, keys, columns, setFocus, notify }: GridEditProps) {
  const [editing, setEditing] = useState<EditedCell | null>(null)
  const latest = useRef({ editing, keys })
  latest.current = { editing, keys }
  // The grid shows a saved entity after its reload; the next cell is edited before.
  const own = useRef<unknown>(null)
  const canEdit = (name: string | undefined) => {
    const attribute = name === undefined ? undefined : attributeOf(dataClass, name)
    return attribute !== undefined && isEditable(attribute)
  }
  const edit = (row: number, name: string | undefined) => {
    const key = keys[row]
    if (key == null || name === undefined) return
    if (canEdit(name)) setEditing({ key, name })
    else notify(`${name} cannot be edited here.`)
  }
  const endEdit = (cell: EditedCell, step: -1 | 0 | 1, saved: unknown) => {
    if (saved !== null) own.current = saved
    // A save may end after another cell is edited, which then stays open.
    if (latest.current.editing !== cell) return
    const cells = latest.current.keys.flatMap((key, row) =>
      columns.filter(canEdit).map((name) => ({ row, key, name })),
    )
    const at = cells.findIndex(({ key, name }) => key === cell.key && name === cell.name)
    const next = step === 0 || at < 0 ? undefined : cells[at + step]
    if (next?.key == null) return setEditing(null)
    setFocus(next.row, columns.indexOf(next.name))
    setEditing({ key: next.key, name: next.name })
  }
  const latestOf = (entity: unknown): unknown => {
    const [shown, stored] = [membersOf(entity), membersOf(own.current)]
    const isNewer = shown.__KEY === stored.__KEY && Number(stored.__STAMP) > Number(shown.__STAMP)
    return isNewer ? own.current : entity
  }
  return { editing, edit, endEdit, canEdit, latestOf }
}
