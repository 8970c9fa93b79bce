import type { Clock } from '../ports.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { CommitWatch } from '../transaction/port.ts'

/** A query that was run. */
export interface WatchedQuery {
  readonly dataClass: string
  /** The filter as it was asked, without the values of its placeholders. */
  readonly filter: string
  /** Entities found; null for a query that failed. */
  readonly count: number | null
  readonly milliseconds: number
  /** What it failed with; null where it did not. */
  readonly error: unknown
}

/** Receives the queries and commits of a store. None of its methods may throw. */
export interface Watcher {
  /** Whether anybody listens at this moment: without, nothing is measured. */
  readonly hearsQueries: boolean
  readonly hearsCommits: boolean
  query(query: WatchedQuery): void
  commit(list: ChangeList, milliseconds: number): void
}

/**
 * The watcher of a store, usually none: then it costs a comparison for each query and each commit.
 */
export class Watch implements CommitWatch {
  watcher: Watcher | null = null
  readonly #clock: Clock
  #began = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get hearsCommits(): boolean {
    return this.watcher?.hearsCommits === true
  }
  begin(): void {
    if (this.hearsCommits) this.#began = this.#clock.monotonic()
  }
  end(list: ChangeList): (() => void) | null {
    const { watcher } = this
    if (watcher === null || !watcher.hearsCommits) return null
    const milliseconds = this.#clock.monotonic() - this.#began
    return () => watcher.commit(list, milliseconds)
  }

  /** Runs a query, which answers how many it found, and tells of it. */
  query<S extends { readonly count: number }>(
    watcher: Watcher,
    dataClass: string,
    filter: string,
    run: () => S,
  ): S {
    const from = this.#clock.monotonic()
    const tell = (count: number | null, error: unknown): void =>
      watcher.query({
        dataClass,
        filter,
        count,
        milliseconds: this.#clock.monotonic() - from,
        error,
      })
    try {
      const found = run()
      tell(found.count, null)
      return found
    } catch (error) {
      tell(null, error)
      throw error
    }
  }
}
