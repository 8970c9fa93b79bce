import { isEntiaError } from '@entia/core'
import {
  type Awaitable,
  andThen,
  FilterText,
  PLAIN_PAGE,
  permitReading,
  permitRows,
  type RowAction,
} from '@entia/engine'
import type { DataAddress } from '../request/address.ts'
import type { RawBody } from '../request/body.ts'
import { refuseOver } from '../request/limits.ts'
import {
  type PlainHead,
  type PlainResource,
  parseEntityParameters,
  parsePlainParameters,
  refuseParameters,
} from '../request/plain-head.ts'
import {
  type Action,
  conditionsOf,
  type DataRequest,
  type RequestHead,
} from '../request/request.ts'
import type { Answer } from './context/answer.ts'
import type { HandleContext } from './context/context.ts'
import {
  othersOf,
  type PlainAnswer,
  type PlainMember,
  type PlainPart,
} from './context/plain-members.ts'
import { answerData } from './data.ts'
import { keyMemberOf, readPlainBody } from './plain/plain-body.ts'
import { type NamedMembers, plainFilter, plainOrder, unknownFilter } from './plain/plain-filter.ts'
import {
  dataRequest,
  includedRelations,
  NO_BODY,
  type Place,
  type PlainInterface,
  placeOf,
} from './plain/resources.ts'
import { toReference } from './resolve/entity-key.ts'
import { storedMembers } from './stored-members.ts'

/** How often a PATCH merges its members again after changes of others. */
const MAX_MERGES = 10

/**
 * Saves the object in the body of a plain request. Members for the attribute `others` are merged
 * with those that it holds. Throws what `readPlainBody` and `answerData` throw.
 */
function writePlain(
  head: PlainHead,
  raw: RawBody,
  place: Place,
  { ids }: PlainInterface,
  context: HandleContext,
): Awaitable<Answer> {
  const { dataClass, others, resource, parent, names } = place
  const { replaces } = head.plain
  const key = parent === null ? head.plain.key : null
  const { values, members } = readPlainBody(raw, { key, replaces, ids }, place)
  const change = (changed: PlainHead): Awaitable<Answer> =>
    answerData(changeRequest(changed, context, values), context)
  const save = (): Awaitable<Answer> => {
    const saved = change(head)
    return replaces && key !== null && resource.only === key
      ? andThen(saved, (answer) => (isFailed(answer, 'entityNotFound') ? create(key) : answer))
      : saved
  }
  /** The entity of a singular resource, which has its key from the address. */
  const create = (text: string): Awaitable<Answer> => {
    const reference = toReference(dataClass, { kind: 'key', text }, names)
    if (reference.kind === 'key') values.set(dataClass.key.name, reference.key)
    const address = { ...head.address, selector: null } as typeof head.address
    return change({ ...head, action: 'insert', address })
  }
  if (others === null) return save()
  const isPatch = key !== null && !replaces
  // A key of texts may have been a number, which outlives a replacement.
  const isRead = isPatch || (key !== null && dataClass.key.type === 'string')
  const kept = { others, isSingular: resource.only !== null }
  const mergeAndSave = (number: number | null, triesLeft = MAX_MERGES): Awaitable<Answer> =>
    andThen(isRead ? storedMembers(dataClass, key, kept, context) : null, (before) => {
      if (isPatch && before === null) return save()
      const id = before?.members.get(dataClass.key.name)
      const after = new Map<string, PlainMember>(isPatch ? before?.members : [])
      if (id?.kept !== undefined && !members.has(id.name)) after.set(id.name, id)
      for (const [name, member] of members) after.set(name, name === id?.name ? id : member)
      if (parent !== null && number !== null) {
        const name = keyMemberOf(parent.relation)
        after.set(name, { ...after.get(name)!, kept: number })
      }
      const further = othersOf(after.values())
      if (!isPatch || before === null) {
        values.set(others, further)
        return save()
      }
      if (JSON.stringify(further) === JSON.stringify(before.others)) return save()
      values.set(others, further)
      if (values.has('__STAMP')) return save()
      // The members were read before: another change in between must not be lost.
      values.set('__STAMP', before.stamp)
      return andThen(save(), (answer) => {
        if (triesLeft === 1 || !isFailed(answer, 'stampChanged')) return answer
        values.delete('__STAMP')
        values.delete(others)
        return mergeAndSave(number, triesLeft - 1)
      })
    })
  return andThen(parent && numberOf(parent, head, context), (number) => mergeAndSave(number))
}

/** The request that a changing head stands for, with its preconditions. */
function changeRequest(
  head: PlainHead,
  { header }: HandleContext,
  values: ReadonlyMap<string, unknown> | null = null,
): DataRequest {
  const body: RawBody =
    values === null ? NO_BODY : { kind: 'parsed', value: Object.fromEntries(values) }
  const data = head as RequestHead as RequestHead<DataAddress>
  return { ...data, body, conditions: conditionsOf(header) }
}

/** The number that the key of a parent was in the file; null for a text. */
function numberOf(
  { relation: { target }, key }: NonNullable<Place['parent']>,
  { plain: { resource } }: PlainHead,
  context: HandleContext,
): Awaitable<number | null> {
  const others = resource?.others ?? null
  if (others === null || context.caller.names.find(target, others) === undefined) return null
  const kept = { others, isSingular: resource?.only !== null }
  return andThen(storedMembers(target, key, kept, context), (parent) => {
    const number = parent?.members.get(target.key.name)?.kept
    return typeof number === 'number' ? number : null
  })
}

/** True if the one entity that is saved is refused by an error, or because of it. */
function isFailed(answer: Answer, code: 'entityNotFound' | 'stampChanged'): boolean {
  if (answer.kind !== 'written') return false
  const [outcome] = answer.answer.outcomes
  if (outcome?.kind !== 'failed') return false
  for (let error: unknown = outcome.error; isEntiaError(error); error = error.cause)
    if (error.code === code) return true
  return false
}

/**
 * Answers a request of the plain interface: as requests of the entity interface, with the same
 * permissions. Throws EntiaError for every refusal.
 */
export function answerPlain(
  head: PlainHead,
  body: RawBody,
  plain: PlainInterface,
  context: HandleContext,
): Awaitable<PlainAnswer> {
  const { resource, allowed, nested, query, path } = head.plain
  if (head.verb === 'OPTIONS') return { kind: 'verbs', allowed }
  if (resource === null) {
    refuseParameters(query)
    return readStore(head, plain, context)
  }
  permitPlain(head, resource, context)
  const place = placeOf(head, resource, plain, context)
  // What is created at "posts/1/comments" has its address below "comments".
  const listPath =
    nested === null
      ? path
      : path.replace(/(?:\/+[^/]+){3}\/*$/, `/${encodeURIComponent(place.resource.name)}`)
  const answered = (
    answer: Awaitable<Answer>,
    change: 'none' | 'created' | 'saved' | 'removed',
    page: { readonly number: number; readonly size: number } | null = null,
  ): Awaitable<PlainAnswer> =>
    andThen(answer, (answer) => ({
      kind: 'part',
      part: partOf(place.resource, answer),
      change,
      page,
      listPath: change === 'created' && resource.only === null ? listPath : null,
    }))
  if (head.action === 'retrieve') {
    if (head.plain.key !== null && nested === null)
      return answered(readOne(head, place, context), 'none')
    const { parameters, answer } = readList(head, place, context)
    return answered(answer, 'none', parameters.page)
  }
  refuseParameters(query)
  if (head.action === 'delete')
    return answered(answerData(changeRequest(head, context), context), 'removed')
  const isCreation = head.action === 'insert' || head.plain.method === 'POST'
  return answered(writePlain(head, body, place, plain, context), isCreation ? 'created' : 'saved')
}

/**
 * Refuses a caller who may not read a dataclass of the address, or may not change any of its
 * entities, before parameters and body are looked at. Throws accessDenied, loginRequired around it.
 */
function permitPlain(
  { action, address, plain: { nested } }: PlainHead,
  resource: PlainResource,
  { caller }: HandleContext,
): void {
  if (caller.access === null || address.kind !== 'data') return
  const changed = CHANGES[action]
  const owner = caller.names.dataClass(resource.dataClass)
  const target = resource.nested.get(nested ?? '')?.dataClass
  if (target === undefined) permitReading(caller, owner, changed)
  else {
    permitReading(caller, owner, 'read')
    permitReading(caller, caller.names.dataClass(target), changed)
  }
  if (changed !== 'read') permitRows(caller, caller.names.dataClass(address.dataClass), changed)
}

const CHANGES: { readonly [A in Action]: RowAction } = {
  retrieve: 'read',
  release: 'read',
  insert: 'create',
  update: 'update',
  delete: 'delete',
}

function readOne(head: PlainHead, place: Place, context: HandleContext): Awaitable<Answer> {
  const expand = includedRelations(parseEntityParameters(head.plain.query, place.limits), place)
  return answerData(dataRequest(head, { expand }), context)
}

function readList(head: PlainHead, place: Place, context: HandleContext) {
  const { relation } = place
  const parameters = parsePlainParameters(head.plain.query, place.limits)
  const { filter, members } = plainFilter(parameters, place)
  const order = plainOrder(parameters.sort, place)
  const included = includedRelations(parameters, place)
  const request = dataRequest(head, {
    filter,
    orderBy: order.orderBy,
    skip: parameters.skip,
    top: parameters.top,
    // After a relation, paths begin with its name.
    expand: relation === null ? included : included.map((path) => `${relation}.${path}`),
  })
  const parts = relation === null ? [] : [{ kind: 'names' as const, names: [relation] }]
  const answer = andThen(refuseUnheld(order.members, place, context), () =>
    answerData({ ...request, address: { ...request.address, parts } }, context),
  )
  const checked = andThen(answer, (answer) => {
    // What is found shows that the members exist.
    if (answer.kind !== 'selection' || answer.page.count > 0) return answer
    return andThen(refuseUnheld(members, place, context), () => answer)
  })
  return { parameters, answer: checked }
}

/**
 * Refuses members that no entity has: they are probably misspelt. A dataclass without entities has
 * no members yet. Throws parameterUnknown.
 */
function refuseUnheld(
  members: NamedMembers,
  place: Place,
  context: HandleContext,
): Awaitable<undefined> {
  const { dataClass, others } = place
  if (members.size === 0) return undefined
  const count = (filter: FilterText | null): Awaitable<number> =>
    andThen(
      context.engine.readSelection(
        {
          ...PLAIN_PAGE,
          source: { kind: 'all', dataClass },
          filter,
          projection: { dataClass, fields: [] },
          skip: 0,
          top: 0,
          maxEntities: 0,
        },
        context.caller,
      ),
      (page) => page?.count ?? 0,
    )
  return andThen(count(null), (all) => {
    if (all === 0) return undefined
    return eachInOrder([...members], ([parameter, member]) =>
      andThen(count(new FilterText(':1 != null', [[others, member]])), (holding) => {
        if (holding > 0) return undefined
        throw unknownFilter(parameter, place)
      }),
    )
  })
}

/** One call after the other, without a promise where none is needed. */
function eachInOrder<T>(
  items: readonly T[],
  call: (item: T) => Awaitable<undefined>,
): Awaitable<undefined> {
  const [first, ...rest] = items
  if (first === undefined) return undefined
  return andThen(call(first), () => eachInOrder(rest, call))
}

/** Every resource that the caller knows, in order. */
async function readStore(
  head: PlainHead,
  { resources }: PlainInterface,
  context: HandleContext,
): Promise<PlainAnswer> {
  const parts: PlainPart[] = []
  let entities = 0
  for (const resource of resources.values()) {
    if (context.caller.names.findDataClass(resource.dataClass) === undefined) continue
    const selector = resource.only === null ? null : ({ kind: 'key', text: resource.only } as const)
    const { dataClass } = resource
    const request = dataRequest({
      ...head,
      address: { kind: 'data', dataClass, selector, parts: [] },
    })
    let answer: Answer
    try {
      answer = await answerData(request, context)
    } catch (error) {
      // The entity of a singular resource does not exist, or is hidden from the caller.
      if (isEntiaError(error, 'entityCannotBeLoaded')) continue
      throw error
    }
    const part = partOf(resource, answer)
    entities += part.answer.kind === 'selection' ? part.answer.page.records.length : 1
    refuseOver(entities, 'entities in the answer', 'maxEntitiesPerAnswer', context.limits)
    parts.push(part)
  }
  return { kind: 'store', parts }
}

function partOf(resource: PlainResource, answer: Answer): PlainPart {
  switch (answer.kind) {
    case 'entity':
    case 'selection':
    case 'written':
    case 'removed':
      return { resource, answer }
    default:
      throw new Error(`A plain request cannot be answered with "${answer.kind}".`)
  }
}
