import { channel } from 'node:diagnostics_channel'
import { watchOf } from '../capability/observing.ts'
import { EntiaError, isEntiaError } from '../errors.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import type { WatchedQuery, Watcher } from '../read/watch.ts'

/** What is published of a query, named as OpenTelemetry names what is told of databases. */
export interface QueryEvent {
  readonly 'db.system.name': 'entia'
  /** The store. */
  readonly 'db.namespace': string
  /** The dataclass. */
  readonly 'db.collection.name': string
  readonly 'db.operation.name': 'query'
  /** The filter with its placeholders, without their values; absent where `queryText` says so. */
  readonly 'db.query.text'?: string
  /** Entities found; absent for a query that was refused. */
  readonly 'db.response.returned_rows'?: number
  /** Seconds. */
  readonly 'db.client.operation.duration': number
  /** The code of the error, and its number: of a query that was refused. */
  readonly 'error.type'?: string
  readonly 'db.response.status_code'?: string
}

/** What is published of a commit. */
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
  /** Whether filters are told; they hold what was written into them as it is. True by default. */
  readonly queryText?: boolean
}

/** The channels of `node:diagnostics_channel`. */
export const QUERY_CHANNEL = 'entia:query'
export const COMMIT_CHANNEL = 'entia:commit'

/**
 * Publishes queries and commits of a store on `entia:query` and `entia:commit` of `node:diagnostics_channel`. While nobody subscribes nothing is
 * measured. While somebody does, every query is run when it is made, so that its time and what it found are known; of a read in turns it may be told more than once. Of several calls for
 * a store the last counts. Returns the way to stop it. Throws `argumentInvalid` for what is no store.
 */
export function publishDiagnostics(store: AnyDataStore, options: DiagnosticsOptions = {}): () => void {
  const watch = watchOf(store)
  const { queryText = true } = options
  if (typeof queryText !== 'boolean')
    throw new EntiaError('argumentInvalid', {
      argument: 'The option queryText',
      expected: 'a boolean',
      found: typeof queryText,
    })
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

  get hearsQueries(): boolean {
    return this.#queries.hasSubscribers
  }
  get hearsCommits(): boolean {
    return this.#commits.hasSubscribers
  }

  query({ dataClass, filter, count, milliseconds, error }: WatchedQuery): void {
    // What ends a turn of a long read, or is thrown by the application, is no answer to the query.
    if (error !== null && !isEntiaError(error)) return
    const event: QueryEvent = {
      'db.system.name': 'entia',
      'db.namespace': this.#namespace,
      'db.collection.name': dataClass,
      'db.operation.name': 'query',
      ...(this.#queryText ? { 'db.query.text': String(filter) } : {}),
      ...(count === null ? {} : { 'db.response.returned_rows': count }),
      'db.client.operation.duration': milliseconds / 1000,
      ...(error === null ? {} : { 'error.type': error.code, 'db.response.status_code': String(error.errCode) }),
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
