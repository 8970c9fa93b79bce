import type { AnyDataStore, LiveDelta } from '@entia/core'
import { MergedDelta } from '@entia/core/internal'
import {
  type Followed,
  type FollowedDelta,
  type FollowedSince,
  type FollowQuery,
  followsTooMany,
} from '../interface/followed.ts'
import type { EntityRecord } from '../interface/projection.ts'
import { asSession, type CallerStore } from './caller-store.ts'
import { RecordReader } from './record.ts'
import { selectSource, shownPaths } from './select.ts'
import type { StoredEntity } from './values.ts'

/**
 * Follows a selection as the caller sees it. Deltas that are not taken are merged into one, so a
 * slow client costs no more memory than the result.
 */
export function follow(callerStore: CallerStore, query: FollowQuery): Followed | null {
  const { page, maxEntities } = query
  const since = knownSince(callerStore.store, query.since)
  const selected = selectSource(callerStore, { ...query, saved: null })
  if (selected === null) return null
  const whole = selected.selection
  const selection = page === null ? whole : whole.page(page.skip, page.top)
  if (selection.count > maxEntities) throw followsTooMany('entities to be followed', maxEntities)
  const shown = shownPaths(callerStore, query.projection)
  let pending: MergedDelta | null = null
  let isStopped = false
  let isTooMuch = false
  // Keeping the live query itself would keep its initial entities, which may be large and outdated.
  const stopping = new AbortController()
  const live = selection.live(
    (delta) => {
      if (pending === null) pending = new MergedDelta(delta)
      else pending.add(delta)
      if (pending.entityCount > maxEntities) {
        isTooMuch = true
        pending = null
        stopping.abort()
      }
      followed.onNews()
    },
    {
      ...(since === null ? {} : { since }),
      ...(shown.length === 0 ? {} : { select: shown.join() }),
      signal: stopping.signal,
      stopped: () => {
        isStopped = true
        followed.onNews()
      },
    },
  )
  const records = (entities: readonly StoredEntity[]): readonly EntityRecord[] =>
    asSession(callerStore.store, callerStore.session, () =>
      new RecordReader(callerStore.view, query).readAll(entities, query.projection),
    ) as readonly EntityRecord[]
  const { missed } = live
  isTooMuch = missed !== null && missed.entered.length + missed.changed.length > maxEntities
  pending = missed !== null && isSomething(missed) ? new MergedDelta(missed) : null
  let initial = missed === null ? records(live.initial) : null
  const followed: Followed = {
    globalStamp: live.globalStamp,
    plan: live.plan,
    takeInitial() {
      const first = initial
      initial = null
      return first
    },
    onNews: () => {},
    get isStopped() {
      return isStopped && !isTooMuch
    },
    take(): FollowedDelta | null {
      if (isTooMuch) throw followsTooMany('entities that entered or changed at once', maxEntities)
      if (pending === null) return null
      const { globalStamp, entered, changed, left, order } = pending.delta
      pending = null
      const keys = left as readonly (string | number)[]
      const places = order as readonly (string | number)[] | null
      return {
        globalStamp,
        entered: records(entered),
        changed: records(changed),
        left: keys,
        order: places,
      }
    },
    stop: () => stopping.abort(),
  }
  return followed
}

/** The global stamp since which this store knows the changes; null for a complete result. */
function knownSince({ id, globalStamp }: AnyDataStore, since: FollowedSince | null): number | null {
  const isKnown = since !== null && since.instanceId === id && since.globalStamp <= globalStamp
  return isKnown ? since.globalStamp : null
}

const isSomething = ({ entered, changed, left }: LiveDelta): boolean =>
  entered.length + changed.length + left.length > 0
