import { isEntiaError } from '@entia/core'
import { type Awaitable, andThen } from '../engine/awaitable.ts'
import type { RawBody } from '../request/body.ts'
import type { PlainHead } from '../request/plain-head.ts'
import type { Answer } from './context/answer.ts'
import type { HandleContext } from './context/context.ts'
import { answerData } from './data.ts'
import { readPlainBody } from './plain/plain-body.ts'
import { changeRequest, type Place, type PlainInterface } from './plain/plain-place.ts'
import { toReference } from './target/entity-key.ts'

/**
 * Saves the object in the body of a plain request. Members for the attribute `others` are merged
 * with those that it holds. Throws what `readPlainBody` and `answerData` throw.
 */
export function writePlain(
  head: PlainHead,
  raw: RawBody,
  { dataClass, relation, others }: Place,
  { ids }: PlainInterface,
  context: HandleContext,
): Awaitable<Answer> {
  const { engine, caller, limits } = context
  const { key, replaces, nested } = head.plain
  const owner = nested === null ? null : caller.names.dataClass(head.plain.resource!.dataClass)
  const followed = owner === null || relation === null ? null : owner.attributes.get(relation)
  const parent =
    followed?.kind === 'relatedEntities' && key !== null
      ? { relation: followed.inverse.name, key }
      : null
  const addressed = parent === null ? key : null
  const given = { dataClass, names: caller.names, limits, replaces, others, parent, ids }
  const { values, further } = readPlainBody(raw, { ...given, key: addressed })
  const bodyOf = (): RawBody => ({ kind: 'parsed', value: Object.fromEntries(values) })
  const save = (): Awaitable<Answer> => {
    const saved = answerData(changeRequest(head, context, bodyOf()), context)
    if (addressed === null || nested !== null || !replaces) return saved
    const isSingular = head.plain.resource?.only === addressed
    return isSingular ? andThen(saved, (answer) => (isMissing(answer) ? create() : answer)) : saved
  }
  /** The entity of a singular resource, which has its key from the address. */
  const create = (): Awaitable<Answer> => {
    const reference = toReference(dataClass, { kind: 'key', text: addressed! }, caller.names)
    if (reference.kind === 'key') values.set(dataClass.key.name, reference.key)
    const address = { ...head.address, selector: null } as typeof head.address
    const creation: PlainHead = { ...head, action: 'insert', address }
    return answerData(changeRequest(creation, context, bodyOf()), context)
  }
  if (others === null) return save()
  const put = (members: ReadonlyMap<string, unknown>): void => {
    values.set(others, members.size === 0 ? null : Object.fromEntries(members))
  }
  // A key of texts may have been a number, which outlives a replacement.
  const keepsNumber = replaces && dataClass.key.type === 'string'
  if (addressed === null || (replaces && !keepsNumber)) {
    put(further)
    return save()
  }
  const attribute = caller.names.find(dataClass, others)
  if (attribute?.kind !== 'storage') return save()
  const before = engine.readEntity(
    {
      reference: toReference(dataClass, { kind: 'key', text: addressed }, caller.names),
      through: null,
      filter: null,
      withPlan: false,
      withPath: false,
      projection: { dataClass, fields: [{ kind: 'value', name: others, attribute }] },
      content: 'address',
      textForm: null,
      relatedTop: 0,
      maxEntities: 1,
    },
    caller,
  )
  return andThen(before, (answer) => {
    const members = new Map(Object.entries((answer?.record?.values[0] as object | null) ?? {}))
    if (replaces) {
      const id = members.get(dataClass.key.name)
      put(id === undefined ? further : new Map([...further, [dataClass.key.name, id]]))
      return save()
    }
    const isTouched = further.size > 0 || [...values.keys()].some((name) => members.has(name))
    if (!isTouched || answer?.record == null) return save()
    for (const name of values.keys()) members.delete(name)
    for (const [name, value] of further) members.set(name, value)
    put(members)
    // The members were read before: another change in between must not be lost.
    if (!values.has('__STAMP')) values.set('__STAMP', answer.record.stamp)
    return save()
  })
}

/** True if the entity to replace does not exist, or is hidden from the caller. */
function isMissing(answer: Answer): boolean {
  if (answer.kind !== 'written') return false
  const [outcome] = answer.answer.outcomes
  return outcome?.kind === 'failed' && isEntiaError(outcome.error, 'entityNotFound')
}
