import type { AnyDataStore } from '@entia/core'
import { handleOf, type PastRecord, type Table } from '@entia/core/internal'
import { type Awaitable, andThen, isPromise } from '../interface/awaitable.ts'
import type { Caller } from '../interface/caller.ts'
import type { EngineReplicas, Shape } from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'
import type { LongReads } from './long-reads.ts'
import type { Write } from './replica-attempt.ts'
import { decideBatches } from './replica-batches.ts'
import { type FeedSource, StoreFeed } from './replica-feed.ts'
import { eraOf, expireNotes } from './replica-notes.ts'
import { heldClasses, readsOfHeld } from './replica-shapes.ts'

/** The replicas of a store in this process, for an engine that keeps its data elsewhere too. */
export interface LocalReplicas extends EngineReplicas {
  /** The names of the dataclasses that decide what a replica is sent. Throws as `feed`. */
  readsOf(shapes: ReadonlyMap<string, Shape>, caller: Caller): ReadonlySet<string>
  /**
   * Completes the moment for a replica, whether it concerns its shapes or not: batches of the
   * replica were decided elsewhere.
   */
  complete(replica: string): void
}

/** The replicas of a store in this process. `commitId` as in `FeedSource`. */
export function localReplicas(
  store: AnyDataStore,
  callerStoreOf: (caller: Caller) => CallerStore,
  long: LongReads,
  commitId: FeedSource['commitId'],
): LocalReplicas {
  const feeds = new Map<string, Set<StoreFeed>>()
  const source = { pastOf: sharedPast(store), commitId }
  const inOrder = oneAfterAnother()
  return {
    feed(query, caller) {
      const feed: StoreFeed = new StoreFeed(callerStoreOf(caller), query, source, () => {
        const own = feeds.get(query.replica)
        own?.delete(feed)
        if (own?.size === 0) feeds.delete(query.replica)
      })
      const own = feeds.get(query.replica) ?? new Set()
      feeds.set(query.replica, own.add(feed))
      return feed
    },
    decide(query, caller) {
      const callerStore = callerStoreOf(caller)
      const write: Write = (body) => long.write(callerStore, body)
      const finish: Write = (body) => long.finish(callerStore, body)
      const decided = inOrder(query.replica, () =>
        decideBatches(callerStore, query, { write, finish }),
      )
      return andThen(decided, (answer) => {
        for (const feed of feeds.get(query.replica) ?? [])
          feed.decided(answer.outcomes, query.received)
        return answer
      })
    },
    era: () => eraOf(store),
    expire: (days, _, among) => long.takeOver(() => expireNotes(store, days, among)),
    readsOf(shapes, caller) {
      const callerStore = callerStoreOf(caller)
      return readsOfHeld(callerStore, heldClasses(callerStore, shapes))
    },
    complete(replica) {
      for (const feed of feeds.get(replica) ?? []) feed.decided([], 0)
    },
  }
}

/** Runs the requests of one replica one by one: a lost answer may be asked for again early. */
export function oneAfterAnother() {
  const running = new Map<string, Promise<unknown>>()
  return <R>(replica: string, body: () => Awaitable<R>): Awaitable<R> => {
    const before = running.get(replica)
    const done = before === undefined ? body() : before.then(body)
    if (!isPromise(done)) return done
    const ended = done
      .catch(() => {})
      .then(() => {
        if (running.get(replica) === ended) running.delete(replica)
      })
    running.set(replica, ended)
    return done
  }
}

/**
 * The changes of a table since a global stamp. Feeds that are at the same place share one walk
 * through the history, until the next commit. Null for changes that the history no longer has.
 */
function sharedPast(store: AnyDataStore) {
  const { writer } = handleOf(store)
  let at = -1
  const known = new Map<string, ReadonlyMap<number, PastRecord>>()
  return (table: Table, globalStamp: number): ReadonlyMap<number, PastRecord> => {
    if (at !== writer.globalStamp) known.clear()
    at = writer.globalStamp
    const id = `${table.model.ordinal} ${globalStamp}`
    let past = known.get(id)
    if (past === undefined) {
      past =
        globalStamp < writer.history.oldest ? new Map() : writer.history.pastOf(table, globalStamp)
      known.set(id, past)
    }
    return past
  }
}
