import type { ClassModel } from '@entia/core'
import { type Awaitable, andThen, PLAIN_ENTITY, type ProjectedField } from '@entia/engine'
import type { HandleContext } from './context/context.ts'
import {
  membersOfOthers,
  type PlainMember,
  placesOf,
  plainKeyMember,
} from './context/plain-members.ts'
import { toReference } from './resolve/entity-key.ts'

/** The members of an entity as they are stored, in the order of answers. */
export interface StoredMembers {
  readonly members: ReadonlyMap<string, PlainMember>
  /** The value of the attribute `others`. */
  readonly others: object | null
  readonly stamp: number
}

/**
 * Reads the members of an entity that the caller may know; null without such an entity. Those of a
 * singular resource have no key.
 */
export function storedMembers(
  dataClass: ClassModel,
  key: string,
  { others, isSingular }: { readonly others: string; readonly isSingular: boolean },
  { engine, caller }: HandleContext,
): Awaitable<StoredMembers | null> {
  const { names } = caller
  const fields = names.attributes(dataClass).flatMap((attribute): ProjectedField[] => {
    const { name } = attribute
    if (attribute.kind === 'relatedEntity') return [{ kind: 'deferredEntity', name, attribute }]
    return attribute.kind === 'storage' ? [{ kind: 'value', name, attribute }] : []
  })
  const answer = engine.readEntity(
    {
      ...PLAIN_ENTITY,
      reference: toReference(dataClass, { kind: 'key', text: key }, names),
      projection: { dataClass, fields },
    },
    caller,
  )
  return andThen(answer, (answer) => {
    const record = answer?.record ?? null
    if (record === null) return null
    const values = new Map(fields.map((field, at) => [memberOf(field), record.values[at] ?? null]))
    const held = (values.get(others) ?? null) as object | null
    values.delete(others)
    if (isSingular) values.delete(dataClass.key.name)
    return {
      members: inOrder(values, membersOfOthers(held), placesOf(dataClass, names)),
      others: held,
      stamp: record.stamp,
    }
  })
}

/** What `others` holds goes last, with the values of attributes at its places. */
function inOrder(
  values: ReadonlyMap<string | null, unknown>,
  further: ReadonlyMap<string, unknown>,
  places: ReadonlyMap<string, number>,
): ReadonlyMap<string, PlainMember> {
  const members = new Map<string, PlainMember>()
  for (const isFurther of [false, true])
    for (const name of isFurther ? further.keys() : values.keys()) {
      const value = values.get(name) ?? null
      if (name === null || further.has(name) !== isFurther) continue
      const own = further.get(name)
      const isNumber = typeof own === 'number' && value === String(own)
      const kept = value === null || isNumber ? own : undefined
      if (value !== null || isFurther)
        members.set(name, { name, place: places.get(name) ?? -1, kept })
    }
  return members
}

const memberOf = (field: ProjectedField): string | null =>
  field.kind === 'deferredEntity' ? plainKeyMember(field.attribute) : field.name
