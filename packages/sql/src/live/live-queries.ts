import {
  type Caller,
  type Followed,
  type FollowQuery,
  followsTooMany,
  type PageAnswer,
  type PageQuery,
  PLAIN_PAGE,
} from '@entia/engine'
import type { CallerFilters } from '../read/caller-filters.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { CommitLog } from './commit-log.ts'
import type { CommitPoller } from './commit-poller.ts'
import { Lanes } from './lanes.ts'
import { LiveQuery } from './live-query.ts'
import { readsOfAnswer } from './live-reads.ts'

export interface LiveQueriesOptions {
  readonly log: CommitLog
  readonly poller: CommitPoller
  readonly dataset: Dataset
  readonly filtersOf: (caller: Caller) => CallerFilters
  /** The most entities that the result of a live query may grow to. */
  readonly maxRows: number
  /** Ends the streams of sessions that ended in other processes. */
  readonly checkSessions: () => void
}

export type ReadSelection = (query: PageQuery, caller: Caller) => Promise<PageAnswer | null>

/** Live queries that run at the same time. */
const LANES = 2

/** The live queries of a store in this process. */
export class LiveQueries {
  readonly #options: LiveQueriesOptions
  readonly #open = new Set<LiveQuery>()
  readonly #lanes = new Lanes(LANES)

  constructor(options: LiveQueriesOptions) {
    this.#options = options
  }

  /**
   * `follow` of the engine interface. A client whose dataclasses did not change since gets nothing
   * but later deltas, any other client the complete result.
   */
  async follow(read: ReadSelection, query: FollowQuery, caller: Caller): Promise<Followed | null> {
    const { log, poller, dataset, filtersOf, checkSessions } = this.#options
    const { since, page, maxEntities } = query
    const reads = readsOfAnswer(filtersOf(caller), query)
    let live: LiveQuery | null = null
    let isMissed = false
    // Before the first read, so that no commit is between the two.
    const unlisten = await poller.listen((news) => {
      if (caller.session !== null) checkSessions()
      if (live === null) isMissed = true
      else live.hear(news)
    })
    try {
      const answer = await read(pageOf(query, maxEntities), caller)
      if (answer === null) {
        unlisten()
        return null
      }
      const { count, globalStamp } = answer
      const size = page === null ? count : Math.min(page.top, count - page.skip)
      if (size > maxEntities) throw followsTooMany('entities to be followed', maxEntities)
      const isKnown =
        since !== null &&
        since.instanceId === dataset.id &&
        since.globalStamp <= globalStamp &&
        (await log.isUnchanged(since.globalStamp, reads))
      const opened = new LiveQuery(
        {
          reads,
          isPage: page !== null,
          maxEntities,
          run: () => this.#run(read, query, caller),
          schedule: (task) => this.#lanes.add(task),
          stopped: () => {
            unlisten()
            this.#open.delete(opened)
          },
        },
        { globalStamp, records: recordsOf(answer) },
        isKnown,
      )
      live = opened
      this.#open.add(opened)
      if (isMissed) opened.hear({ changed: null })
      return opened
    } catch (error) {
      unlisten()
      throw error
    }
  }

  /** Stops all of them: their streams end. */
  close(): void {
    for (const live of [...this.#open]) live.stop()
  }

  async #run(read: ReadSelection, query: FollowQuery, caller: Caller) {
    const { maxRows } = this.#options
    const most = Math.max(maxRows, query.maxEntities)
    const answer = await read(pageOf(query, most), caller)
    // Nothing is related to an entity that was removed.
    if (answer === null) return { globalStamp: await this.#options.log.globalStamp(), records: [] }
    if (query.page === null && answer.count > most)
      throw followsTooMany('entities to be followed', most)
    return { globalStamp: answer.globalStamp, records: recordsOf(answer) }
  }
}

/** A page of at most some entities. */
const pageOf = ({ page, since: _, ...query }: FollowQuery, most: number): PageQuery => ({
  ...PLAIN_PAGE,
  ...query,
  maxEntities: most,
  skip: page?.skip ?? 0,
  top: Math.min(page?.top ?? most, most),
})

/** Only a removed member of an entity set, which cannot be followed, has no record. */
const recordsOf = ({ records }: PageAnswer) => records.filter((record) => record !== null)
