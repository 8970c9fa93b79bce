import {
  type BatchCall,
  type BatchItem,
  bucketCount,
  isArgumentEntity,
  type LeaseRequest,
  MAX_LEASE,
  marksLength,
} from '@entia/core/internal'
import {
  type Awaitable,
  andThen,
  type BatchQuery,
  type FeedMarks,
  type FeedQuery,
  FilterText,
  type Shape,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { AddressOf } from '../../request/address.ts'
import { parseJsonBody } from '../../request/body.ts'
import { areStrings, isJsonObject, problemOfValue } from '../../request/json-text.ts'
import { type Limits, refuseOver } from '../../request/limits.ts'
import type { RestRequest } from '../../request/request.ts'
import type { Answer, ReplicaRule } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'

/** `POST $replica` and `POST $replica/batches`. */
export function answerReplica(
  request: RestRequest<AddressOf<'replica'>>,
  context: HandleContext,
): Awaitable<Answer> {
  const { engine, caller, limits, rules, signal } = context
  const { replicas } = engine
  const rule = rules.replicas
  if (replicas === null || rule === null)
    throw notApplicable('$replica', 'replicas cannot follow this store')
  const body = membersOf(parseJsonBody(request.body, limits), 'the body')
  if (request.address.part === 'batches') {
    const query = batchesIn(body, rule, limits)
    const calls = query.batches.flatMap(({ call }) => call ?? [])
    const decided = andThen(context.callerOf(calls), (caller) => replicas.decide(query, caller))
    return andThen(decided, (answer): Answer => {
      rule.answered(answer.outcomes)
      return { kind: 'batches', instanceId: engine.instanceId, ...answer }
    })
  }
  rule.refuseFull()
  const { wait } = body
  if (wait !== undefined && wait !== null && wait !== 0) throw wrong('wait', '0 or null')
  const query = feedIn(body, rule.maxEntities)
  const feed = andThen(replicas.era(caller), (era) => replicas.feed({ ...query, era }, caller))
  return andThen(
    feed,
    (feed): Answer => ({
      kind: 'feed',
      feed,
      replica: query.replica,
      dataClasses: [...query.shapes.keys()],
      waits: wait !== 0,
      signal,
    }),
  )
}

type Members = { readonly [name: string]: unknown }

function feedIn(body: Members, maxEntities: number): Omit<FeedQuery, 'era'> {
  refuseOthers(body, ['replica', 'shapes', 'at', 'seed', 'marks', 'wait'], 'the body')
  const { seed = 0 } = body
  if (!isWhole(seed) || seed > 0xffff_ffff) throw wrong('seed', 'a whole number of 32 bits')
  const shapes = membersOf(body.shapes, 'shapes')
  return {
    replica: replicaIn(body),
    shapes: new Map(Object.entries(shapes).map(([name, shape]) => [name, shapeIn(name, shape)])),
    since: sinceIn(body.at),
    seed,
    marks: marksIn(body.marks, maxEntities),
    maxEntities,
  }
}

function shapeIn(name: string, given: unknown): Shape {
  if (given === true) return { filter: null, attributes: null, with: [] }
  const what = `shapes.${name.slice(0, 100)}`
  const shape = membersOf(given, what)
  refuseOthers(shape, ['filter', 'params', 'attributes', 'with'], what)
  const { filter, params, attributes, with: paths = [] } = shape
  if (filter !== undefined && typeof filter !== 'string') throw wrong(`${what}.filter`, 'a text')
  if (params !== undefined && !Array.isArray(params)) throw wrong(`${what}.params`, 'an array')
  if (attributes !== undefined && !areStrings(attributes))
    throw wrong(`${what}.attributes`, 'an array of names')
  if (!areStrings(paths)) throw wrong(`${what}.with`, 'an array of paths')
  return {
    filter: filter === undefined ? null : new FilterText(filter, params ?? null),
    attributes: attributes ?? null,
    with: paths,
  }
}

function sinceIn(given: unknown): FeedQuery['since'] {
  if (given === undefined || given === null) return null
  const [instanceId, globalStamp, fingerprint, ...more] = Array.isArray(given) ? given : []
  if (
    typeof instanceId !== 'string' ||
    typeof fingerprint !== 'string' ||
    !isWhole(globalStamp) ||
    more.length > 0
  )
    throw wrong('at', '[instance, stamp, fingerprint] or null')
  return { instanceId, globalStamp, fingerprint }
}

function marksIn(given: unknown, maxEntities: number): FeedMarks | null {
  if (given === undefined || given === null) return null
  const classes = Object.entries(membersOf(given, 'marks'))
  const maxBuckets = bucketCount(maxEntities) + classes.length
  let buckets = 0
  const read = classes.map(([name, given]) => {
    const what = `marks.${name.slice(0, 100)}`
    const marks = membersOf(given, what)
    refuseOthers(marks, ['columns', 'count', 'divided', 'text'], what)
    const { columns, count, divided, text } = marks
    if (!areStrings(columns)) throw wrong(`${what}.columns`, 'an array of names')
    if (!isWhole(count) || count === 0) throw wrong(`${what}.count`, 'a whole number from 1')
    buckets += count
    if (buckets > maxBuckets)
      throw wrong('marks', `at most ${maxBuckets} buckets (option "replicas.maxEntities")`)
    if (!isAscending(divided, count)) throw wrong(`${what}.divided`, 'buckets in ascending order')
    const length = marksLength(count, divided.length)
    if (typeof text !== 'string' || text.length !== length)
      throw wrong(`${what}.text`, `a text of ${length} characters`)
    return [name, { columns, count, divided, text }] as const
  })
  return new Map(read)
}

/** Whether it is a list of numbers below `end`, each above the one before it. */
const isAscending = (given: unknown, end: number): given is readonly number[] =>
  Array.isArray(given) &&
  given.every((each, at) => isWhole(each) && each < end && (at === 0 || given[at - 1] < each))

function batchesIn(
  body: Members,
  { maxBatchItems, callTime }: ReplicaRule,
  limits: Limits,
): BatchQuery {
  refuseOthers(body, ['replica', 'user', 'era', 'received', 'batches', 'lease'], 'the body')
  const { user = null, era = null, received = 0, batches, lease = {} } = body
  if (user !== null && typeof user !== 'string') throw wrong('user', 'an ID or null')
  if (era !== null && typeof era !== 'string') throw wrong('era', 'a text or null')
  if (!isWhole(received)) throw wrong('received', 'a whole number from 0')
  if (!Array.isArray(batches)) throw wrong('batches', 'an array')
  refuseOver(batches.length, 'batches in the body', 'maxItems', limits)
  let last = 0
  return {
    replica: replicaIn(body),
    user,
    era: era ?? '',
    received,
    lease: leaseIn(lease, limits),
    batches: batches.map((given: unknown) => {
      const batch = membersOf(given, 'a batch')
      refuseOthers(batch, ['number', 'items', 'strict', 'call'], 'a batch')
      const { number, call, items = call && [], strict = false } = batch
      if (!isWhole(number) || number <= last)
        throw wrong('number', 'a whole number above that of the batch before it')
      last = number
      if (!Array.isArray(items)) throw wrong('items', 'an array')
      if (items.length > maxBatchItems)
        throw restError('bodyMalformed', {
          problem: `batch ${number} has more than ${maxBatchItems} items (option "replicas.maxBatchItems")`,
        })
      if (typeof strict !== 'boolean') throw wrong('strict', 'a boolean')
      if (call === undefined) return { number, items: items.map(itemIn), strict }
      if (items.length > 0) throw wrong('items', 'empty for a batch with a call')
      return { number, items: [], strict, call: callIn(call, limits) }
    }),
    bounds: {
      maxDepth: limits.maxJsonDepth,
      relatedTop: limits.defaultTop,
      maxEntities: limits.maxEntitiesPerAnswer,
    },
    callTime,
  }
}

function callIn(given: unknown, limits: Limits): BatchCall {
  const call = membersOf(given, 'call')
  refuseOthers(call, ['dataClass', 'key', 'name', 'args'], 'call')
  const { dataClass, key = null, name, args = [] } = call
  if (typeof dataClass !== 'string') throw wrong('call.dataClass', 'a name')
  if (typeof name !== 'string') throw wrong('call.name', 'a name')
  if (key !== null && typeof key !== 'string' && typeof key !== 'number')
    throw wrong('call.key', 'a key or null')
  if (!Array.isArray(args)) throw wrong('call.args', 'an array')
  refuseOver(args.length, 'parameters of a function', 'maxParams', limits)
  for (const [at, value] of (args as unknown[]).entries()) {
    const problem = problemOfValue(value, limits.maxJsonDepth)
    const text =
      problem !== null
        ? `${problem}.`
        : isMarked(value)
          ? 'a replica sends an entity as __ENTITY: true, __DATACLASS and __KEY alone, and no selection: send its keys.'
          : null
    if (text !== null)
      throw restError('functionParameterInvalid', { name, position: at + 1, problem: text })
  }
  return { dataClass, key, name, args }
}

/**
 * True for what the address of a function takes as an entity or a selection, except an entity as it
 * is stored.
 */
const isMarked = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !isArgumentEntity(value) &&
  (Object.hasOwn(value, '__ENTITY') || Object.hasOwn(value, '__ENTITIES'))

function leaseIn(given: unknown, limits: Limits): BatchQuery['lease'] {
  const members = Object.entries(membersOf(given, 'lease'))
  refuseOver(members.length, 'dataclasses in "lease"', 'maxItems', limits)
  const read = members.map(([name, each]) => {
    const what = `lease.${name.slice(0, 100)}`
    const asked = membersOf(each, what)
    refuseOthers(asked, ['size', 'lowest', 'last'], what)
    const { size, lowest, last } = asked
    if (!isWhole(size) || size < 1 || size > MAX_LEASE)
      throw wrong(`${what}.size`, `a whole number from 1 to ${MAX_LEASE}`)
    if (!isWhole(lowest)) throw wrong(`${what}.lowest`, 'a whole number from 0')
    if (!isWhole(last)) throw wrong(`${what}.last`, 'a whole number from 0')
    return [name, { size, lowest, last } satisfies LeaseRequest] as const
  })
  return new Map(read)
}

function itemIn(given: unknown): BatchItem {
  const item = membersOf(given, 'an item')
  refuseOthers(item, ['kind', 'dataClass', 'key', 'values', 'before', 'stamp'], 'an item')
  const { kind, dataClass, key } = item
  if (typeof dataClass !== 'string') throw wrong('dataClass', 'a name')
  if (typeof key !== 'string' && typeof key !== 'number') throw wrong('key', 'a key')
  const named = { dataClass, key }
  const values = (name: 'values' | 'before'): Members => membersOf(item[name], name)
  if (kind === 'insert') return { kind, ...named, values: values('values') }
  const { stamp } = item
  if (!isWhole(stamp)) throw wrong('stamp', 'a whole number from 0')
  if (kind === 'update')
    return { kind, ...named, values: values('values'), before: values('before'), stamp }
  if (kind === 'remove') return { kind, ...named, before: values('before'), stamp }
  throw wrong('kind', 'insert, update or remove')
}

/** The id that a replica has chosen. */
function replicaIn({ replica }: Members): string {
  if (typeof replica === 'string' && /^[\w-]{22,64}$/.test(replica)) return replica
  throw wrong('replica', 'an id of 22 to 64 letters and digits')
}

const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function membersOf(value: unknown, what: string): Members {
  if (isJsonObject(value)) return value
  throw wrong(what, 'an object')
}

function refuseOthers(given: Members, known: readonly string[], what: string): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw restError('bodyMalformed', {
        problem: `"${name.slice(0, 100)}" is unknown in ${what}: use ${known.join(', ')}`,
      })
}

const wrong = (name: string, expected: string) =>
  restError('bodyMalformed', { problem: `"${name}" must be ${expected}` })
