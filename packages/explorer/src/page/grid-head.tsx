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
  /** Whether all rows of the page are selected, or some. */
  readonly isPicked: 'all' | 'some' | 'none'
  readonly pickPage: (becomesSelected: boolean) => void
}

/** The headers of a grid, which sort, before them a box that selects the rows of the page. */
export function GridHead(props: GridHeadProps) {
  const { scene, dataClass, columns, focused, setFocus, isPicked, pickPage } = props
  const { place, go } = scene
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
            order={place.order}
            tabIndex={c === focused ? 0 : -1}
            onFocus={() => setFocus(c)}
            sort={(isAdded) =>
              go({ ...place, page: 0, order: orderAfterClick(place.order, name, isAdded) })
            }
          />
        ))}
      </tr>
    </thead>
  )
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
