import { cellText, deferredOf } from './field-value.ts'
import { type DataClass, membersOf } from './model.ts'

/**
 * The JSON text of an entity's attributes, in the order of the dataclass. A to-one relation is the
 * key of its entity; to-many relations, images and BLOBs are left out.
 */
export function entityJson(entity: unknown, dataClass: DataClass): string {
  const members = membersOf(entity)
  const values = dataClass.attributes
    .filter(({ name }) => Object.hasOwn(members, name))
    .flatMap((attribute) => {
      const { name, kind, type, dateOnly } = attribute
      const value = members[name]
      // The value of an object attribute may look like a reference, and is none.
      if (type === 'image' || type === 'blob' || kind === 'relatedEntities') return []
      if (kind === 'relatedEntity') return [[name, deferredOf(value)?.key ?? null]]
      return [[name, dateOnly && value !== null ? cellText(value, attribute) : value]]
    })
  return JSON.stringify(Object.fromEntries(values), null, 2)
}
