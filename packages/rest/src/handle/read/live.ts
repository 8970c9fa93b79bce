import { type Awaitable, andThen } from '../../engine/awaitable.ts'
import type { FollowedSince } from '../../engine/followed.ts'
import { classOf } from '../../engine/selection-source.ts'
import type { LiveAnswer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { notApplicable, refuseGiven } from '../context/not-applicable.ts'
import {
  type Collection,
  ownerMissing,
  requestedProjection,
  selectionQuery,
} from '../target/selection-query.ts'

/** Follows a collection: `$live=true`. Throws methodNotApplicable if it cannot be followed. */
export function readLive(
  collection: Collection | null,
  context: HandleContext,
): Awaitable<LiveAnswer> {
  const { engine, caller, limits, signal } = context
  const { streams } = context.rules
  if (streams === null) throw notApplicable('$live', 'live queries are disabled on this server')
  if (collection === null) throw notApplicable('$live', 'it follows a selection, not one entity')
  const { source, attributes, parameters } = collection
  if (source.kind === 'entitySet') throw notApplicable('$live', 'an entity set does not change')
  refuseGiven(
    [
      ['$method', parameters.method !== null],
      ['$compute', parameters.compute !== null],
      ['$distinct', parameters.distinct],
      ['$groupby', parameters.groupBy !== null],
      ['$format', parameters.format !== 'json'],
      ['$asArray', parameters.asArray],
      ['$queryplan', parameters.queryPlan],
      ['$querypath', parameters.queryPath],
      ['$explain', parameters.explain],
      ['$savedfilter', parameters.savedFilter !== null],
    ],
    'a live query sends entities as events',
  )
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
    return { kind: 'live', projection, followed, skipped: skip, signal }
  })
}

/**
 * Where a reconnecting client left off. With permissions, which may have changed meanwhile, the
 * client gets a complete result instead.
 */
function sinceOf({ caller, header }: HandleContext): FollowedSince | null {
  const [, stamp, instanceId] =
    /^(\d{1,15})-([0-9A-F]{32})$/i.exec(header('last-event-id') ?? '') ?? []
  if (stamp === undefined || instanceId === undefined || caller.access !== null) return null
  return { instanceId, globalStamp: Number(stamp) }
}
