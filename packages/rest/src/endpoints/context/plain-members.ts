import type { ClassModel, ToOneAttribute } from '@entia/core'
import type { Names } from '@entia/engine'
import type { PlainResource } from '../../request/plain-head.ts'
import type { Answer } from './answer.ts'

/** The result of a request of the plain interface. */
export type PlainAnswer =
  | { readonly kind: 'verbs'; readonly allowed: readonly string[] }
  /** All resources, in order. */
  | { readonly kind: 'store'; readonly parts: readonly PlainPart[] }
  | {
      readonly kind: 'part'
      readonly part: PlainPart
      readonly change: 'none' | 'created' | 'saved' | 'removed'
      /** The number and size of the page that `_page` names; null without it. */
      readonly page: { readonly number: number; readonly size: number } | null
      /** The path of the list that a new entity belongs to; null for other requests. */
      readonly listPath: string | null
    }

/** The answer to a request about one resource. */
export interface PlainPart {
  readonly resource: PlainResource
  readonly answer: Extract<Answer, { kind: 'entity' | 'selection' | 'written' | 'removed' }>
}

/**
 * The member in which the plain interface shows the key of a to-one relation: `postId` for `post`.
 * Null if an attribute of the application holds the key. If `postId` is another attribute, the
 * member has the name of the relation.
 */
export function plainKeyMember({ name, owner, foreignKey }: ToOneAttribute): string | null {
  if (!foreignKey.hidden) return null
  return owner.attributes.has(`${name}Id`) ? name : `${name}Id`
}

/** The to-one relation that a member such as `postId` belongs to, as the caller knows it. */
export function relationOfKeyMember(
  dataClass: ClassModel,
  member: string,
  names: Names,
): ToOneAttribute | null {
  for (const name of member.endsWith('Id') ? [member, member.slice(0, -2)] : [member]) {
    const attribute = names.find(dataClass, name)
    if (attribute?.kind === 'relatedEntity' && plainKeyMember(attribute) === member)
      return attribute
  }
  return null
}

/**
 * True for a member that belongs to an attribute or relation which the caller may not know. Plain
 * REST must not keep it among other members: callers who know the attribute would see it as theirs.
 */
export function isHiddenMember(dataClass: ClassModel, member: string, names: Names): boolean {
  if (dataClass.attributes.has(member)) return names.find(dataClass, member) === undefined
  return hasKeyMember(dataClass, member) && relationOfKeyMember(dataClass, member, names) === null
}

/** True for `postId` of a dataclass with a relation `post` that shows its key there. */
export function hasKeyMember({ attributes }: ClassModel, member: string): boolean {
  const relation = member.endsWith('Id') ? attributes.get(member.slice(0, -2)) : undefined
  return relation?.kind === 'relatedEntity' && plainKeyMember(relation) === member
}

/** A member of an entity of the plain interface, as its attributes and `others` store it. */
export interface PlainMember {
  readonly name: string
  /** What `others` holds; undefined if the attribute at `place` holds the value. */
  readonly kept: unknown
  /** The place of the attribute in answers; -1 without one. */
  readonly place: number
}

/** The places in answers of the attributes that a body can set, by their members. */
export function placesOf(dataClass: ClassModel, names: Names): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, attribute] of names.attributes(dataClass).entries()) {
    const member =
      attribute.kind === 'relatedEntity'
        ? plainKeyMember(attribute)
        : attribute.kind === 'storage'
          ? attribute.name
          : null
    if (member !== null) places.set(member, place)
  }
  return places
}

/**
 * The value of `others` for the members of an entity, in their order. It also holds the order:
 * from the first member on that answers would not show in its place, every member has a name
 * there, which is null if an attribute holds the value. Null if attributes hold all in order.
 */
export function othersOf(members: Iterable<PlainMember>): object | null {
  const others: PlainMember[] = []
  let last = -1
  for (const member of members) {
    const { place, kept } = member
    if (others.length === 0 && kept === undefined && place > last) last = place
    else others.push(member)
  }
  if (others.length === 0) return null
  // Stores take no more names: what attributes hold is then shown in their order.
  const held = others.length > 1000 ? others.filter(({ kept }) => kept !== undefined) : others
  return Object.fromEntries(
    held.map(({ name, kept = null }) => [storedName(name), renamed(kept, storedName)]),
  )
}

/** The members that a value of `others` holds, in their order. */
export const membersOfOthers = (others: object | null): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(others ?? {}).map(([name, value]) => [
      shownName(name),
      renamed(value, shownName),
    ]),
  )

/** False for a value with names that only `others` can hold. */
export const hasStorableNames = (value: unknown): boolean => renamed(value, storedName) === value

/** Stores refuse names that reach prototypes: `others` holds them with one more `_`. */
export const storedName = (name: string): string =>
  /^_*(?:constructor|prototype)$/.test(name) ? `_${name}` : name

const shownName = (name: string): string =>
  /^_+(?:constructor|prototype)$/.test(name) ? name.slice(1) : name

/** JSON with other names; the same value if none differs. Stores refuse what is deeper. */
function renamed(value: unknown, rename: (name: string) => string, levels = 100): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value
  let isSame = true
  const inner = (one: unknown): unknown => {
    const next = renamed(one, rename, levels - 1)
    isSame &&= next === one
    return next
  }
  if (Array.isArray(value)) {
    const items = value.map(inner)
    return isSame ? value : items
  }
  const entries = Object.entries(value).map(([name, one]): [string, unknown] => {
    const next = rename(name)
    isSame &&= next === name
    return [next, inner(one)]
  })
  return isSame ? value : Object.fromEntries(entries)
}
