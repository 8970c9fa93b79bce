import type { ComponentChildren } from 'preact'
import { literalOf, pageSize } from './addresses.ts'
import { copyText } from './copy-text.ts'
import { entityJson } from './entity-json.ts'
import { cellText, deferredOf, ownAddress } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, isNumeric, membersOf } from './model.ts'
import { lastPageOf } from './pager.tsx'
import { directionOf, hashOf, orderAfterClick, type Place, placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import type { Fresh } from './use-fresh.ts'
import { useGridFocus } from './use-grid-focus.ts'

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
  const open = (key: string | null | undefined) => {
    if (key != null) go({ ...place, open: key })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const used = () => {
      if (move(event)) return true
      // The buttons of the headers handle these keys themselves.
      if (row < 0 || (event.key !== 'Enter' && event.key !== ' ')) return false
      const link = table.current?.rows[row + 1]?.cells[column]?.querySelector('a')
      if (event.key === 'Enter' && link != null) link.click()
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
                return (
                  <td
                    key={name}
                    tabIndex={r === row && c === column ? 0 : -1}
                    class={attribute !== undefined && isNumeric(attribute) ? 'number' : undefined}
                    onFocus={() => setFocus(r, c)}
                  >
                    {keys[r] === null ? (
                      c === 0 && 'deleted'
                    ) : (
                      <Cell
                        scene={scene}
                        dataClass={dataClass}
                        entity={entity}
                        name={name}
                        attribute={attribute}
                      />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {entities.length === 0 && !isLoading && <p class="empty">No entity.</p>}
    </div>
  )
}

function keyOf(entity: unknown): string | null {
  const { __KEY } = membersOf(entity)
  return __KEY === undefined ? null : String(__KEY)
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
  const isSortable =
    attribute?.kind !== 'relatedEntities' &&
    !['image', 'blob', 'object'].includes(attribute?.type ?? '')
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

interface CellProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly entity: unknown
  readonly name: string
  readonly attribute: Attribute | undefined
}

function Cell({ scene, dataClass, entity, name, attribute }: CellProps) {
  const members = membersOf(entity)
  const value = Object.hasOwn(members, name) ? members[name] : null
  if (attribute?.target != null) {
    const key = String(members.__KEY)
    return (
      <RelationLink
        scene={scene}
        from={dataClass.name}
        fromKey={key}
        attribute={attribute}
        value={value}
      />
    )
  }
  if (attribute?.type === 'image') {
    const deferred = deferredOf(value)
    const address = deferred === null ? null : ownAddress(deferred.uri, scene.base)
    return address === null ? null : (
      <img class="thumbnail" src={address} alt={`${name} of ${String(members.__KEY)}`} />
    )
  }
  const text = cellText(value, attribute)
  return <span title={text.length > 40 ? text : undefined}>{text}</span>
}

interface RelationLinkProps {
  readonly scene: Scene
  readonly from: string
  readonly fromKey: string
  readonly attribute: Attribute
  readonly value: unknown
}

/** Leads to the related entity or entities; the trail records the origin. */
export function RelationLink({ scene, from, fromKey, attribute, value }: RelationLinkProps) {
  const { place, model } = scene
  const { name, kind, target } = attribute
  if (target === null) return null
  const step = { dataClass: from, key: fromKey, relation: name }
  const via = place.dataClass === from ? [...place.via, step] : [step]
  if (kind === 'relatedEntities') return <Follow to={placeOf(target, { via })}>{name} ⇉</Follow>
  const key = deferredOf(value)?.key
  if (key == null) return null
  const keyName = model.classes.get(target)?.key
  const filter = keyName == null ? '' : `${keyName} === ${literalOf(key)}`
  return <Follow to={placeOf(target, { filter, open: key })}>{key} →</Follow>
}

/** A link in a cell: Enter on the cell follows it, and a click does not open the row. */
function Follow({ to, children }: { to: Place; children: ComponentChildren }) {
  return (
    <a
      class="relation-link"
      href={hashOf(to)}
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </a>
  )
}
