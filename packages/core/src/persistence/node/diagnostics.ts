import { channel } from 'node:diagnostics_channel'
import { isEntiaError } from '../../errors.ts'
import type { AnyDataStore } from '../../model/store-types.ts'
import type { WatchedQuery, Watcher } from '../../query/watch.ts'
import { watchOf } from '../../store/capability/live-queries.ts'
import { checkNames, refused } from '../../value/check-options.ts'

/** A published query. The names are those of OpenTelemetry for databases. */
export interface QueryEvent {
  readonly 'db.system.name': 'entia'
  /** The store. */
  readonly 'db.namespace': string
  /** The dataclass. */
  readonly 'db.collection.name': string
  readonly 'db.operation.name': 'query'
  /** The filter with its placeholders, without their values; absent if `queryText` is false. */
  readonly 'db.query.text'?: string
  /** Number of entities found; absent for a query that failed. */
  readonly 'db.response.returned_rows'?: number
  /** Seconds. */
  readonly 'db.client.operation.duration': number
  /** The code and the number of the error of a query that failed. */
  readonly 'error.type'?: string
  readonly 'db.response.status_code'?: string
}

/** A published commit. */
export interface CommitEvent {
  readonly 'db.system.name': 'entia'
  readonly 'db.namespace': string
  readonly 'db.operation.name': 'commit'
  /** Seconds since the transaction began. */
  readonly 'db.client.operation.duration': number
  readonly 'entia.global_stamp': number
  readonly 'entia.inserts': number
  readonly 'entia.updates': number
  readonly 'entia.removals': number
}

export interface DiagnosticsOptions {
  /** Whether to publish filters, with the values that are written into them. True by default. */
  readonly queryText?: boolean
}

/** The channels of `node:diagnostics_channel`. */
export const QUERY_CHANNEL = 'entia:query'
export const COMMIT_CHANNEL = 'entia:commit'

/**
 * Publishes queries and commits of a store on `entia:query` and `entia:commit` of
 * `node:diagnostics_channel`. Without subscribers nothing is measured. With subscribers every query
 * runs when it is created, so that its duration and its count are known. A sliced read may publish
 * a query more than once. A second call for the same store replaces the first. Returns a function
 * that ends the publishing. Throws `argumentInvalid` unless it is given a store.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel'
 * subscribe('entia:query', (message) => console.log(message))
 * const stop = publishDiagnostics(store)
 * stop()
 * ```
 */
export function publishDiagnostics(
  store: AnyDataStore,
  options: DiagnosticsOptions = {},
): () => void {
  const watch = watchOf(store)
  checkNames(options, ['queryText'])
  const { queryText = true } = options
  if (typeof queryText !== 'boolean')
    throw refused('The option queryText', 'a boolean', typeof queryText)
  const watcher = new Publisher(store.name, queryText)
  watch.watcher = watcher
  return () => {
    if (watch.watcher === watcher) watch.watcher = null
  }
}

class Publisher implements Watcher {
  readonly #queries = channel(QUERY_CHANNEL)
  readonly #commits = channel(COMMIT_CHANNEL)
  readonly #namespace: string
  readonly #queryText: boolean

  constructor(namespace: string, queryText: boolean) {
    this.#namespace = namespace
    this.#queryText = queryText
  }

  get observesQueries(): boolean {
    return this.#queries.hasSubscribers
  }
  get observesCommits(): boolean {
    return this.#commits.hasSubscribers
  }

  query({ dataClass, filter, count, milliseconds, error }: WatchedQuery): void {
    // Errors that end a time slice of a long read, or that the application throws, are not the
    // result of a query.
    if (error !== null && !isEntiaError(error)) return
    const event: QueryEvent = {
      'db.system.name': 'entia',
      'db.namespace': this.#namespace,
      'db.collection.name': dataClass,
      'db.operation.name': 'query',
      ...(this.#queryText ? { 'db.query.text': String(filter) } : {}),
      ...(count === null ? {} : { 'db.response.returned_rows': count }),
      'db.client.operation.duration': milliseconds / 1000,
      ...(error === null
        ? {}
        : { 'error.type': error.code, 'db.response.status_code': String(error.errCode) }),
    }
    this.#queries.publish(event)
  }

  commit(list: Parameters<Watcher['commit']>[0], milliseconds: number): void {
    const counts = { insert: 0, update: 0, remove: 0 }
    for (const change of list.changes) {
      if (change.kind === 'load') counts.insert += change.slots.length
      else counts[change.kind]++
    }
    const event: CommitEvent = {
      'db.system.name': 'entia',
      'db.namespace': this.#namespace,
      'db.operation.name': 'commit',
      'db.client.operation.duration': milliseconds / 1000,
      'entia.global_stamp': list.globalStamp,
      'entia.inserts': counts.insert,
      'entia.updates': counts.update,
      'entia.removals': counts.remove,
    }
    this.#commits.publish(event)
  }
}
