import type { ComponentChildren } from 'preact'
import { literalOf } from './addresses.ts'
import { cellText, deferredOf, ownAddress } from './field-value.ts'
import { type Attribute, type DataClass, membersOf } from './model.ts'
import { Text } from './null-text.tsx'
import { hashOf, type Place, placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import type { Related } from './use-related.ts'

interface CellProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly entity: unknown
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly related: Related
}

/** The value of one attribute in the grid. */
export function Cell({ scene, dataClass, entity, name, attribute, related }: CellProps) {
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
        related={related.get(name)}
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
  /** Counts or labels, as far as they are known. */
  readonly related?: ReadonlyMap<string, string> | undefined
}

/** Leads to the related entity or entities; the trail records the origin. */
export function RelationLink(props: RelationLinkProps) {
  const { scene, from, fromKey, attribute, value, related } = props
  const { place, model } = scene
  const { name, kind, target } = attribute
  if (target === null) return null
  const step = { dataClass: from, key: fromKey, relation: name }
  const via = place.dataClass === from ? [...place.via, step] : [step]
  if (kind === 'relatedEntities')
    return (
      <Follow to={placeOf(target, { via })}>
        {related?.has(fromKey) ? `${related.get(fromKey)} ` : ''}
        {name} ⇉
      </Follow>
    )
  const key = deferredOf(value)?.key
  if (key == null) return <Text text={null} />
  const keyName = model.classes.get(target)?.key
  const filter = keyName == null ? '' : `${keyName} === ${literalOf(key)}`
  // A label that is null or empty would leave nothing to read.
  const label = related?.get(key) || key
  return (
    <Follow to={placeOf(target, { filter, open: key })} title={`${target} ${key}`}>
      {label} →
    </Follow>
  )
}

interface FollowProps {
  readonly to: Place
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link in a cell: Enter on the cell follows it, and a click does not open the row. */
function Follow({ to, title, children }: FollowProps) {
  return (
    <a
      class="relation-link"
      href={hashOf(to)}
      title={title}
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </a>
  )
}
