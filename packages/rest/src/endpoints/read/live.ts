import { type Awaitable, andThen, classOf, type FollowedSince, visibilityOf } from '@entia/engine'
import type { AddressOf } from '../../request/address.ts'
import { invalidParameter } from '../../request/parameter-values.ts'
import type { RestRequest } from '../../request/request.ts'
import type { Answer, LiveAnswer, StreamRule, StreamSharing } from '../context/answer.ts'
import { type HandleContext, notApplicable, refuseGiven } from '../context/context.ts'
import {
  type Collection,
  ownerMissing,
  requestedProjection,
  selectionQuery,
} from '../resolve/selection-query.ts'

/** Parameters of which nothing could be sent, in the order of their refusal. */
const NOT_FOLLOWED = [
  ...(['method', 'compute', 'distinct', 'groupBy', 'format', 'asArray'] as const),
  ...(['queryPlan', 'queryPath', 'explain', 'savedFilter'] as const),
]

/** Follows a collection: `$live=true`. Throws methodNotApplicable if it cannot be followed. */
export function readLive(
  collection: Collection | null,
  context: HandleContext,
): Awaitable<LiveAnswer> {
  const { caller } = context
  const { streams } = context.rules
  if (streams === null)
    throw notApplicable('$live', 'live queries are disabled on this server (option "live")')
  if (collection === null) throw notApplicable('$live', 'it follows a selection, not one entity')
  const { source, parameters } = collection
  if (source.kind === 'entitySet') throw notApplicable('$live', 'an entity set does not change')
  refuseGiven(parameters, NOT_FOLLOWED, 'a live query sends entities as events')
  const sharing = sharingOf(context)
  if (sharing === null) return followAs(null, collection, streams, context)
  return andThen(streams.admitSharing(sharing, caller.session), () =>
    followAs(sharing, collection, streams, context),
  )
}

function followAs(
  sharing: StreamSharing | null,
  collection: Collection,
  streams: StreamRule,
  context: HandleContext,
): Awaitable<LiveAnswer> {
  const { engine, caller, limits, signal } = context
  const { source, attributes, parameters } = collection
  streams.refuseFull(caller.session)
  const { filter, orderBy } = selectionQuery(collection, context)
  const { top, skip } = parameters
  const { maxEntities } = streams
  const projection = requestedProjection(classOf(source), attributes, parameters, context)
  const query = {
    source,
    filter,
    orderBy,
    projection,
    page:
      top === null && skip === 0
        ? null
        : { skip, top: top ?? Math.min(limits.defaultTop, maxEntities) },
    since: sinceOf(context),
    relatedTop: limits.defaultTop,
    maxEntities,
  }
  return andThen(engine.follow(query, caller), (followed): LiveAnswer => {
    if (followed === null) throw ownerMissing(source)
    return { kind: 'live', projection, followed, skipped: skip, signal, sharing }
  })
}

/**
 * `Live-Stream: <id> <number of the query>`, 0 for a new stream, with `opening` while its answer is
 * on its way. Throws parameterInvalid.
 */
function sharingOf({ header }: HandleContext): StreamSharing | null {
  const given = header('live-stream')
  if (given === null) return null
  const [, id, query, opening] = /^([\w-]{22,64}) (\d{1,9})( opening)?$/.exec(given) ?? []
  if (id !== undefined && query !== undefined)
    return { id, query: Number(query), isOpening: opening !== undefined }
  throw invalidParameter(
    'Live-Stream',
    'an id of 22 to 64 letters and digits, and the number of a query',
    given.slice(0, 80),
  )
}

/** `DELETE $live/<id>/<number>`: ends a query of a shared stream, if there is one. */
export function removeLive(
  { address: { id, query } }: RestRequest<AddressOf<'liveQuery'>>,
  { rules: { streams }, caller }: HandleContext,
): Answer {
  streams?.removeQuery(id, query, caller.session)
  return { kind: 'done' }
}

/**
 * Where a reconnecting client left off. One whose permissions have changed meanwhile gets a
 * complete result instead.
 */
function sinceOf({ caller, header }: HandleContext): FollowedSince | null {
  const [, stamp, instanceId, visibility = null] =
    /^(\d{1,15})-([0-9A-F]{32})(?:-([0-9a-z]{1,20}))?$/i.exec(header('last-event-id') ?? '') ?? []
  if (stamp === undefined || instanceId === undefined) return null
  const now = caller.access === null ? null : visibilityOf(caller)
  return visibility === now ? { instanceId, globalStamp: Number(stamp) } : null
}
