import { useEffect, useRef, useState } from 'preact/hooks'
import { pageSize } from './addresses.ts'
import { Cell } from './cell.tsx'
import { CellEditor } from './cell-editor.tsx'
import { CellMenu, type MenuAt } from './cell-menu.tsx'
import { copyText } from './copy-text.ts'
import { entityJson } from './entity-json.ts'
import {
  type Attribute,
  attributeOf,
  type DataClass,
  isNumeric,
  isScalar,
  membersOf,
} from './model.ts'
import { conditionOf } from './narrow.ts'
import { lastPageOf } from './pager.tsx'
import { directionOf, orderAfterClick } from './place.ts'
import type { Scene } from './scene.ts'
import type { Fresh } from './use-fresh.ts'
import { useGridEdit } from './use-grid-edit.ts'
import { useGridFocus } from './use-grid-focus.ts'
import { useRelatedCounts } from './use-related-counts.ts'

interface GridProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  readonly entities: readonly unknown[]
  /** The size of the selection. */
  readonly count: number
  readonly isLoading: boolean
  readonly fresh: Fresh
}

/**
 * Entities in rows, as one tab stop. Enter opens the entity or follows the relation; copying
 * without selected text copies the row.
 */
export function Grid({ scene, dataClass, columns, entities, count, isLoading, fresh }: GridProps) {
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
  const counts = useRelatedCounts(scene, dataClass, columns, entities)
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
  const onKeyDown = (event: KeyboardEvent) => {
    const used = () => {
      if (move(event)) return true
      // The buttons of the headers handle these keys themselves.
      if (row < 0 || !['Enter', ' ', 'F2'].includes(event.key)) return false
      const link = table.current?.rows[row + 1]?.cells[column]?.querySelector('a')
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
    const isCopied = await copyText(entityJson(entities[row], dataClass))
    notify(isCopied ? `Copied ${dataClass.name} ${key} as JSON.` : 'The browser refuses to copy.')
  }
  return (
    <div class="scroll grid-frame" aria-busy={isLoading}>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrows move between cells, as in a grid.
        role="grid"
        aria-label={`Entities of ${dataClass.name}`}
        aria-rowcount={count + 1}
        class="grid"
        onKeyDown={onKeyDown}
        onCopy={onCopy}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((name, c) => (
              <Head
                key={name}
                attribute={attributeOf(dataClass, name)}
                name={name}
                order={place.order}
                tabIndex={row < 0 && c === column ? 0 : -1}
                onFocus={() => setFocus(-1, c)}
                sort={(isAdded) =>
                  go({ ...place, page: 0, order: orderAfterClick(place.order, name, isAdded) })
                }
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {entities.map((entity, r) => (
            <tr
              key={keys[r] ?? `gone ${r}`}
              aria-rowindex={place.page * pageSize + r + 2}
              aria-selected={keys[r] === place.open}
              class={classOf(keys[r] ?? null, fresh)}
              onClick={() => open(keys[r])}
            >
              {columns.map((name, c) => {
                const attribute = attributeOf(dataClass, name)
                const isEditing = editing?.key === keys[r] && editing?.name === name
                return (
                  <td
                    key={name}
                    tabIndex={r === row && c === column ? 0 : -1}
                    class={classOfCell(attribute, isEditing)}
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
                        counts={counts}
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
      {entities.length === 0 && !isLoading && <p class="empty">No entity.</p>}
    </div>
  )
}

function keyOf(entity: unknown): string | null {
  const { __KEY } = membersOf(entity)
  return __KEY === undefined ? null : String(__KEY)
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

interface HeadProps {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly order: string
  readonly tabIndex: number
  readonly onFocus: () => void
  readonly sort: (isAdded: boolean) => void
}

function Head({ name, attribute, order, tabIndex, onFocus, sort }: HeadProps) {
  const direction = directionOf(order, name)
  // A relation has no order of its own; an address may sort by a value of the related entity.
  const isSortable = attribute !== undefined && isScalar(attribute)
  const label = (
    <>
      {name} <span class="type">{attribute?.isKey ? '◆' : attribute?.indexed ? '●' : ''}</span>
    </>
  )
  return (
    <th
      scope="col"
      class={attribute !== undefined && isNumeric(attribute) ? 'number' : undefined}
      tabIndex={isSortable ? undefined : tabIndex}
      onFocus={onFocus}
      aria-sort={direction === null ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
    >
      {isSortable ? (
        <button
          type="button"
          tabIndex={tabIndex}
          title="Sort; hold Shift to add to the other sort attributes"
          onClick={(event) => sort(event.shiftKey)}
        >
          {label}
          <span aria-hidden="true">
            {direction === null ? '' : direction === 'asc' ? ' ↑' : ' ↓'}
          </span>
        </button>
      ) : (
        <span class="head-label">{label}</span>
      )}
    </th>
  )
}
