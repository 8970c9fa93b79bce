import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { literalOf, pageSize } from './addresses.ts'
import { cellText, deferredOf, ownAddress } from './field-value.ts'
import {
  type Attribute,
  attributeOf,
  type DataClass,
  isNumeric,
  membersOf,
  textOf,
} from './model.ts'
import { directionOf, hashOf, orderAfterClick, type Place, placeOf } from './place.ts'
import type { Scene } from './scene.ts'

interface GridProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  readonly entities: readonly unknown[]
  readonly isLoading: boolean
}

/** Entities in rows. Arrows move between cells; Enter opens the entity or follows the relation. */
export function Grid({ scene, dataClass, columns, entities, isLoading }: GridProps) {
  const { place, go } = scene
  const body = useRef<HTMLTableSectionElement>(null)
  const [focus, setFocus] = useState<readonly [number, number]>([0, 0])
  useEffect(() => setFocus([0, 0]), [dataClass.name, place.page])
  const row = Math.min(focus[0], Math.max(0, entities.length - 1))
  const column = Math.min(focus[1], Math.max(0, columns.length - 1))
  const moveTo = (toRow: number, toColumn: number) => {
    const [r, c] = [clamp(toRow, entities.length), clamp(toColumn, columns.length)]
    setFocus([r, c])
    const cell = body.current?.rows[r]?.cells[c]
    cell?.focus()
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const open = (entity: unknown) => {
    const { __KEY } = membersOf(entity)
    if (__KEY !== undefined) go({ ...place, open: String(__KEY) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const used = () => {
      switch (event.key) {
        case 'ArrowDown':
          return moveTo(row + 1, column)
        case 'ArrowUp':
          return moveTo(row - 1, column)
        case 'ArrowRight':
          return moveTo(row, column + 1)
        case 'ArrowLeft':
          return moveTo(row, column - 1)
        case 'Home':
          return moveTo(event.ctrlKey ? 0 : row, 0)
        case 'End':
          return moveTo(event.ctrlKey ? entities.length - 1 : row, columns.length - 1)
        case 'Enter': {
          const link = body.current?.rows[row]?.cells[column]?.querySelector('a')
          return link == null ? open(entities[row]) : link.click()
        }
        case ' ':
          return open(entities[row])
        default:
          return false
      }
    }
    if (used() !== false) event.preventDefault()
  }
  return (
    <div class="scroll grid-frame" aria-busy={isLoading}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrows move between cells, as in a grid. */}
      <table role="grid" aria-label={`Entities of ${dataClass.name}`} class="grid">
        <thead>
          <tr>
            {columns.map((name) => (
              <Head
                key={name}
                attribute={attributeOf(dataClass, name)}
                name={name}
                order={place.order}
                sort={(isAdded) =>
                  go({ ...place, page: 0, order: orderAfterClick(place.order, name, isAdded) })
                }
              />
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {entities.map((entity, r) => (
            <tr
              key={textOf(membersOf(entity).__KEY) || `gone ${r}`}
              aria-selected={membersOf(entity).__KEY === place.open}
              class={membersOf(entity).__KEY === undefined ? 'deleted' : undefined}
              onClick={() => open(entity)}
            >
              {columns.map((name, c) => {
                const attribute = attributeOf(dataClass, name)
                return (
                  <td
                    key={name}
                    tabIndex={r === row && c === column ? 0 : -1}
                    class={attribute !== undefined && isNumeric(attribute) ? 'number' : undefined}
                    onFocus={() => setFocus([r, c])}
                  >
                    {membersOf(entity).__KEY === undefined ? (
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

interface HeadProps {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly order: string
  readonly sort: (isAdded: boolean) => void
}

function Head({ name, attribute, order, sort }: HeadProps) {
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
      aria-sort={direction === null ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
    >
      {isSortable ? (
        <button
          type="button"
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

function clamp(value: number, length: number): number {
  return Math.max(0, Math.min(value, length - 1))
}

interface PagerProps {
  readonly scene: Scene
  readonly count: number
}

/** The range of the current page, and buttons for other pages. */
export function Pager({ scene, count }: PagerProps) {
  const { place, go } = scene
  const last = Math.max(0, Math.ceil(count / pageSize) - 1)
  const first = place.page * pageSize
  const to = (page: number) => go({ ...place, page })
  const button = (label: string, sign: string, page: number, isOff: boolean) => (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={() => to(page)}
    >
      {sign}
    </button>
  )
  return (
    <nav class="pager" aria-label="Pages">
      {button('First page', '«', 0, place.page === 0)}
      {button('Previous page', '‹', place.page - 1, place.page === 0)}
      <output>
        {count === 0 ? (
          'none'
        ) : (
          <>
            {(first + 1).toLocaleString('en')}–
            {Math.min(count, first + pageSize).toLocaleString('en')} of{' '}
            <b>{count.toLocaleString('en')}</b>
          </>
        )}
      </output>
      {button('Next page', '›', place.page + 1, place.page >= last)}
      {button('Last page', '»', last, place.page >= last)}
    </nav>
  )
}
