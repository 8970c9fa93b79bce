import { useEffect, useRef, useState } from 'preact/hooks'
import { pageSize } from './addresses.ts'
import { Cell } from './cell.tsx'
import { CellEditor } from './cell-editor.tsx'
import { CellMenu, type MenuAt } from './cell-menu.tsx'
import { movedColumn, widthStyle, withColumns, withWidth } from './column-layout.ts'
import { copyText } from './copy-text.ts'
import { entityJson } from './entity-json.ts'
import { GridHead } from './grid-head.tsx'
import { type Attribute, attributeOf, type DataClass, isNumeric, membersOf } from './model.ts'
import { conditionOf } from './narrow.ts'
import { lastPageOf } from './pager.tsx'
import type { PasteAt } from './paste-dialog.tsx'
import { rowPicks } from './row-picks.ts'
import type { Scene } from './scene.ts'
import type { Fresh } from './use-fresh.ts'
import { useGridEdit } from './use-grid-edit.ts'
import { useGridFocus } from './use-grid-focus.ts'
import { useRelated } from './use-related.ts'
import type { Selecting } from './use-selected.ts'

interface GridProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  readonly entities: readonly unknown[]
  /** The size of the selection. */
  readonly count: number
  readonly isLoading: boolean
  readonly fresh: Fresh
  readonly selecting: Selecting
  /** Copies the selected rows. */
  readonly copySelected: () => void
  readonly paste: (at: PasteAt) => void
}

/**
 * Entities in rows, as one tab stop. Enter opens the entity or follows the relation; copying
 * without selected text copies the row.
 */
export function Grid(props: GridProps) {
  const { scene, dataClass, columns, entities, count, isLoading, fresh, selecting } = props
  const { place, go, notify } = scene
  const keys = entities.map(keyOf)
  const { table, row, column, setFocus, move } = useGridFocus({
    keys,
    columns: columns.length,
    page: place.page,
    lastPage: lastPageOf(count),
    turn: (page) => go({ ...place, page }),
  })
  const { editing, edit, endEdit, canEdit, latestOf } = useGridEdit({
    dataClass,
    keys,
    columns,
    setFocus,
    notify,
  })
  const related = useRelated(scene, dataClass, columns, entities)
  const [menu, setMenu] = useState<MenuAt | null>(null)
  const pressed = useRef<readonly [number, string] | null>(null)
  // The first click opens the panel, which may move the cell away from the pointer.
  const editPressed = useRef(() => {})
  editPressed.current = () => {
    if (pressed.current !== null) edit(...pressed.current)
  }
  useEffect(() => {
    const onMouseDown = ({ detail }: MouseEvent) => {
      if (detail === 1) pressed.current = null
    }
    const onDoubleClick = () => editPressed.current()
    document.addEventListener('mousedown', onMouseDown, { capture: true })
    document.addEventListener('dblclick', onDoubleClick)
    return () => {
      document.removeEventListener('mousedown', onMouseDown, { capture: true })
      document.removeEventListener('dblclick', onDoubleClick)
    }
  }, [])
  const open = (key: string | null | undefined) => {
    if (key != null) go({ ...place, open: key })
  }
  const isPicked = (key: string | null | undefined) => key != null && selecting.has(key)
  const picks = rowPicks({ selecting, keys, row, move })
  const show = (next: readonly string[]) => go(withColumns(place, dataClass, next))
  /** Moves, hides or sizes the column of the focus. */
  const arrange = (event: KeyboardEvent) => {
    const name = columns[column]
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (name === undefined || event.altKey) return false
    if (by !== 0 && event.ctrlKey && event.shiftKey) {
      setFocus(row, Math.max(0, Math.min(columns.length - 1, column + by)))
      show(movedColumn(columns, column, column + by))
    } else if (by !== 0 && event.shiftKey && row < 0) {
      const shown = table.current?.rows[0]?.cells[column + 1]?.offsetWidth ?? 0
      go(withWidth(place, name, shown + by * 24))
    } else if (event.key === 'Delete' && row < 0) show(columns.filter((one) => one !== name))
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const used = () => {
      if (picks.byKey(event) || arrange(event) || move(event)) return true
      // The buttons of the headers handle these keys themselves.
      if (row < 0 || !['Enter', ' ', 'F2'].includes(event.key)) return false
      const link = table.current?.rows[row + 1]?.cells[column + 1]?.querySelector('a')
      const name = columns[column]
      if (event.key === 'Enter' && link != null) link.click()
      else if (event.key === 'F2' || (event.key === 'Enter' && canEdit(name))) edit(row, name)
      else open(keys[row])
      return true
    }
    if (used()) event.preventDefault()
  }
  const onCopy = async (event: Event) => {
    const key = keys[row]
    if (key == null || getSelection()?.isCollapsed === false) return
    event.preventDefault()
    if (selecting.selected.isAll || selecting.selected.keys.size > 0) return props.copySelected()
    const isCopied = await copyText(entityJson(entities[row], dataClass))
    notify(isCopied ? `Copied ${dataClass.name} ${key} as JSON.` : 'The browser refuses to copy.')
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const isWriting = event.target instanceof Element && event.target.matches('input, textarea')
    if (text === '' || (isWriting && !event.target.matches('[type=checkbox]'))) return
    event.preventDefault()
    const below = row < 0 ? [] : entities.slice(row).filter((one) => keyOf(one) !== null)
    props.paste({ text, columns: columns.slice(column), entities: below })
  }
  return (
    <div class="scroll grid-frame" aria-busy={isLoading}>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrows move between cells, as in a grid.
        role="grid"
        aria-label={`Entities of ${dataClass.name}`}
        aria-rowcount={count + 1}
        aria-multiselectable
        class="grid"
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onPaste={onPaste}
      >
        <GridHead
          scene={scene}
          dataClass={dataClass}
          columns={columns}
          focused={row < 0 ? column : null}
          setFocus={(c) => setFocus(-1, c)}
          moveTo={(from, to) => show(movedColumn(columns, from, to))}
          size={(name, width) => go(withWidth(place, name, width))}
          isPicked={pickedOf(keys, selecting)}
          pickPage={(becomesSelected) => selecting.put(keys.filter(isKey), becomesSelected)}
        />
        <tbody>
          {entities.map((entity, r) => (
            <tr
              key={keys[r] ?? `gone ${r}`}
              aria-rowindex={place.page * pageSize + r + 2}
              aria-selected={isPicked(keys[r])}
              aria-current={keys[r] === place.open ? 'true' : undefined}
              class={classOf(keys[r] ?? null, fresh)}
              onMouseDown={(event) => {
                // Shift and a click would select text.
                if (event.shiftKey || event.ctrlKey || event.metaKey) event.preventDefault()
              }}
              onClick={(event) => {
                const key = keys[r]
                if (key == null || !picks.byRow(event, key)) open(key)
              }}
            >
              <th scope="row" class="pick" onClick={(event) => event.stopPropagation()}>
                {keys[r] == null ? (
                  <span class="unseen">deleted</span>
                ) : (
                  <label>
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={`Select ${keys[r]}`}
                      checked={isPicked(keys[r])}
                      onClick={(event) => picks.byBox(event, keys[r] ?? '')}
                    />
                  </label>
                )}
              </th>
              {columns.map((name, c) => {
                const attribute = attributeOf(dataClass, name)
                const isEditing = editing?.key === keys[r] && editing?.name === name
                return (
                  <td
                    key={name}
                    tabIndex={r === row && c === column ? 0 : -1}
                    class={classOfCell(attribute, isEditing)}
                    style={widthStyle(place, name)}
                    onFocus={() => setFocus(r, c)}
                    onContextMenu={(event) => {
                      if (isEditing || keys[r] === null || attribute === undefined) return
                      const value = membersOf(entity)[name]
                      if (conditionOf(scene.model, attribute, value, false) === null) return
                      event.preventDefault()
                      const { left, bottom } = event.currentTarget.getBoundingClientRect()
                      setMenu({ attribute, value, x: left, y: bottom })
                    }}
                    onMouseDown={({ detail }) => {
                      if (detail === 1) pressed.current = [r, name]
                    }}
                  >
                    {keys[r] === null ? (
                      c === 0 && 'deleted'
                    ) : isEditing && attribute !== undefined ? (
                      <CellEditor
                        scene={scene}
                        dataClass={dataClass}
                        attribute={attribute}
                        entity={latestOf(entity)}
                        end={(step, saved) => endEdit(editing, step, saved)}
                      />
                    ) : (
                      <Cell
                        scene={scene}
                        dataClass={dataClass}
                        entity={entity}
                        name={name}
                        attribute={attribute}
                        related={related}
                      />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {menu !== null && <CellMenu scene={scene} at={menu} close={() => setMenu(null)} />}
      {entities.length === 0 && !isLoading && (
        <p class="empty">
          {place.filter === ''
            ? `No entity. Create one with New, or paste cells of a spreadsheet: Paste… in the menu More.`
            : 'No entity. Clear the filter, or remove one of its conditions.'}
        </p>
      )}
    </div>
  )
}

function keyOf(entity: unknown): string | null {
  const { __KEY } = membersOf(entity)
  return __KEY === undefined ? null : String(__KEY)
}

function isKey(key: string | null): key is string {
  return key !== null
}

function pickedOf(keys: readonly (string | null)[], { has }: Selecting): 'all' | 'some' | 'none' {
  const shown = keys.filter(isKey)
  const picked = shown.filter(has).length
  return picked === 0 ? 'none' : picked === shown.length ? 'all' : 'some'
}

function classOfCell(attribute: Attribute | undefined, isEditing: boolean): string | undefined {
  const isNumber = attribute !== undefined && isNumeric(attribute)
  return [isNumber && 'number', isEditing && 'editing'].filter(Boolean).join(' ') || undefined
}

/** Two class names with equal animations take turns, so that each change starts the animation. */
function classOf(key: string | null, { keys, round }: Fresh): string | undefined {
  if (key === null) return 'deleted'
  return keys.has(key) ? `fresh ${round % 2 === 0 ? 'even' : 'odd'}` : undefined
}
