import type { Clock } from '../ports.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { CommitWatch } from '../write/port.ts'

/** A query that was run. */
export interface WatchedQuery {
  readonly dataClass: string
  /** The text of the filter, without the values of its placeholders. */
  readonly filter: string
  /** Entities found; null for a query that failed. */
  readonly count: number | null
  readonly milliseconds: number
  /** The error of a failed query; null for others. */
  readonly error: unknown
}

/** Receives the queries and commits of a store. None of its methods may throw. */
export interface Watcher {
  /** Whether there are listeners now. Without them nothing is measured. */
  readonly observesQueries: boolean
  readonly observesCommits: boolean
  query(query: WatchedQuery): void
  commit(list: ChangeList, milliseconds: number): void
}

/**
 * The watcher of a store. Without one, a query or a commit costs one comparison.
 */
export class Watch implements CommitWatch {
  watcher: Watcher | null = null
  readonly #clock: Clock
  #began = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    if (this.watcher?.observesCommits === true) this.#began = this.#clock.monotonic()
  }
  end(list: ChangeList): (() => void) | null {
    const { watcher } = this
    if (watcher === null || !watcher.observesCommits) return null
    const milliseconds = this.#clock.monotonic() - this.#began
    return () => watcher.commit(list, milliseconds)
  }

  /** Runs a query and reports its result or its error. */
  query<S extends { readonly count: number }>(
    watcher: Watcher,
    dataClass: string,
    filter: string,
    run: () => S,
  ): S {
    const from = this.#clock.monotonic()
    const report = (count: number | null, error: unknown): void =>
      watcher.query({
        dataClass,
        filter,
        count,
        milliseconds: this.#clock.monotonic() - from,
        error,
      })
    try {
      const found = run()
      report(found.count, null)
      return found
    } catch (error) {
      report(null, error)
      throw error
    }
  }
}
