import type { ClassModel, ToOneAttribute } from '@entia/core'
import type { Names } from './names.ts'

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
