import type { ComponentChildren } from 'preact'
import { literalOf } from './addresses.ts'
import { cellText, deferredOf, ownAddress } from './field-value.ts'
import { type Attribute, type DataClass, membersOf } from './model.ts'
import { Text } from './null-text.tsx'
import { hashOf, type Place, placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import type { RelatedCounts } from './use-related-counts.ts'

interface CellProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly entity: unknown
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly counts: RelatedCounts
}

/** The value of one attribute in the grid. */
export function Cell({ scene, dataClass, entity, name, attribute, counts }: CellProps) {
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
        count={counts.get(name)?.get(key)}
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
  if (value === null || value === '') return <Text text={value} />
  const text = cellText(value, attribute)
  return <span title={text.length > 40 ? text : undefined}>{text}</span>
}

interface RelationLinkProps {
  readonly scene: Scene
  readonly from: string
  readonly fromKey: string
  readonly attribute: Attribute
  readonly value: unknown
  /** Of a to-many relation, if it is known. */
  readonly count?: number | undefined
}

/** Leads to the related entity or entities; the trail records the origin. */
export function RelationLink(props: RelationLinkProps) {
  const { scene, from, fromKey, attribute, value, count } = props
  const { place, model } = scene
  const { name, kind, target } = attribute
  if (target === null) return null
  const step = { dataClass: from, key: fromKey, relation: name }
  const via = place.dataClass === from ? [...place.via, step] : [step]
  if (kind === 'relatedEntities')
    return (
      <Follow to={placeOf(target, { via })}>
        {count === undefined ? '' : `${count.toLocaleString('en')} `}
        {name} ⇉
      </Follow>
    )
  const key = deferredOf(value)?.key
  if (key == null) return <Text text={null} />
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
