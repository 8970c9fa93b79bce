import { useRef } from 'preact/hooks'
import { limited, widthStyle } from './column-layout.ts'
import { labelAttributeOf } from './labels.ts'
import { type Attribute, attributeOf, type DataClass, isNumeric, isScalar } from './model.ts'
import { directionOf, orderAfterClick } from './place.ts'
import type { Scene } from './scene.ts'

interface GridHeadProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** The column of the tab stop; null if it is in another row. */
  readonly focused: number | null
  readonly setFocus: (column: number) => void
  readonly moveTo: (from: number, to: number) => void
  /** Null lets the content decide. */
  readonly size: (name: string, width: number | null) => void
  /** Whether all rows of the page are selected, or some. */
  readonly isPicked: 'all' | 'some' | 'none'
  readonly pickPage: (becomesSelected: boolean) => void
}

/** The headers of a grid, which sort, before them a box that selects the rows of the page. */
export function GridHead(props: GridHeadProps) {
  const { scene, dataClass, columns, focused, setFocus, moveTo, size, isPicked, pickPage } = props
  const { place, go } = scene
  const dragged = useRef<number | null>(null)
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th class="pick">
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label="Select the rows of this page"
              checked={isPicked === 'all'}
              indeterminate={isPicked === 'some'}
              onChange={() => pickPage(isPicked !== 'all')}
            />
          </label>
        </th>
        {columns.map((name, c) => (
          <Head
            key={name}
            attribute={attributeOf(dataClass, name)}
            name={name}
            path={sortPath(scene, dataClass, name)}
            order={place.order}
            tabIndex={c === focused ? 0 : -1}
            onFocus={() => setFocus(c)}
            style={widthStyle(place, name)}
            drag={() => {
              dragged.current = c
            }}
            drop={() => {
              if (dragged.current !== null && dragged.current !== c) moveTo(dragged.current, c)
              dragged.current = null
            }}
            canDrop={() => dragged.current !== null}
            size={(width) => size(name, width)}
            sort={(path, isAdded) =>
              go({ ...place, page: 0, order: orderAfterClick(place.order, path, isAdded) })
            }
          />
        ))}
      </tr>
    </thead>
  )
}

/** What a header sorts by: the value, or the label of the related entity; null for nothing. */
function sortPath({ model }: Scene, dataClass: DataClass, name: string): string | null {
  const attribute = attributeOf(dataClass, name)
  if (attribute === undefined) return null
  if (isScalar(attribute)) return name
  const target = model.classes.get(attribute.target ?? '')
  const label = target && attribute.kind === 'relatedEntity' ? labelAttributeOf(target) : null
  return label === null ? null : `${name}.${label}`
}

interface HeadProps {
  readonly name: string
  /** What the header sorts by; null if it does not sort. */
  readonly path: string | null
  readonly attribute: Attribute | undefined
  readonly order: string
  readonly tabIndex: number
  readonly onFocus: () => void
  readonly sort: (path: string, isAdded: boolean) => void
  readonly style: ReturnType<typeof widthStyle>
  readonly drag: () => void
  readonly drop: () => void
  readonly canDrop: () => boolean
  readonly size: (width: number | null) => void
}

function Head(props: HeadProps) {
  const { name, path, attribute, order, tabIndex, onFocus, sort, style, drag, drop, canDrop } =
    props
  const direction = path === null ? null : directionOf(order, path)
  const label = (
    <>
      {name} <span class="type">{attribute?.isKey ? '◆' : attribute?.indexed ? '●' : ''}</span>
    </>
  )
  return (
    <th
      scope="col"
      class={attribute !== undefined && isNumeric(attribute) ? 'number' : undefined}
      tabIndex={path === null ? tabIndex : undefined}
      onFocus={onFocus}
      style={style}
      draggable
      title={`Drag to move the column (Ctrl Shift ← →)`}
      onDragStart={drag}
      onDragOver={(event) => {
        if (canDrop()) event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        drop()
      }}
      aria-sort={direction === null ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
    >
      {path !== null ? (
        <button
          type="button"
          tabIndex={tabIndex}
          title={`Sort by ${path}; hold Shift to add to the other sort attributes`}
          onClick={(event) => sort(path, event.shiftKey)}
        >
          {label}
          <span aria-hidden="true">
            {direction === null ? '' : direction === 'asc' ? ' ↑' : ' ↓'}
          </span>
        </button>
      ) : (
        <span class="head-label">{label}</span>
      )}
      <ColumnEdge size={props.size} />
    </th>
  )
}

/** The right edge of a header: dragging sizes the column, a double click fits it to the content. */
function ColumnEdge({ size }: { size: (width: number | null) => void }) {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null)
  const wanted = useRef<number | null>(null)
  return (
    // The keyboard sizes columns at their header: Shift with the arrows.
    <span
      class="column-edge"
      aria-hidden="true"
      draggable
      onDragStart={(event) => {
        event.preventDefault()
        event.stopPropagation()
      }}
      onDblClick={() => size(null)}
      onPointerDown={(event) => {
        const head = event.currentTarget.closest('th')
        if (head === null) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width: head.offsetWidth }
      }}
      onPointerMove={(event) => {
        const head = event.currentTarget.closest('th')
        if (start.current === null || head === null) return
        wanted.current = limited(start.current.width + event.clientX - start.current.x)
        const pixels = `${wanted.current}px`
        Object.assign(head.style, { width: pixels, minWidth: pixels, maxWidth: pixels })
      }}
      onPointerUp={() => {
        if (start.current !== null && wanted.current !== null) size(wanted.current)
        start.current = null
        wanted.current = null
      }}
    />
  )
}
