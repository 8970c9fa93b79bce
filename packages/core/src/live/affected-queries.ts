import type { Table } from '../storage/table.ts'
import { entryOf } from '../value/entry.ts'
import type { Concern } from './live-change.ts'
import type { LiveCommit } from './live-commit.ts'
import type { LiveResult } from './live-result.ts'
import type { LiveDispatch, Watch } from './live-watches.ts'

interface Query {
  readonly result: LiveResult
}

/**
 * Related records that a commit changed, the records from which one path leads to them, and the
 * queries that use the path.
 */
interface Moved<Q> {
  readonly table: Table
  readonly targets: Set<number>
  readonly sources: Set<number>
  readonly queries: Set<Q>
}

/**
 * Below this number of queries, each query tests all records that lead to a changed one. Otherwise
 * the dispatch selects the queries per record.
 */
const MIN_QUERIES_TO_DISPATCH = 8

const newMoved = <Q>(table: Table): Moved<Q> => ({
  table,
  targets: new Set(),
  sources: new Set(),
  queries: new Set(),
})
export const newConcern = (): Concern => ({
  saved: [],
  moved: null,
  isMoved: false,
  shown: null,
})

/**
 * The queries that a commit may affect, with the records that may affect them. Cost: O(changes +
 * result).
 */
export class AffectedQueries<Q extends Query> {
  readonly byQuery = new Map<Q, Concern>()
  readonly #commit: LiveCommit
  /** By the dataclass and the path that starts there; `shown`: of paths that queries only show. */
  readonly #paths = { moved: new Map<string, Moved<Q>>(), shown: new Map<string, Moved<Q>>() }

  constructor(dispatch: LiveDispatch<Q>, commit: LiveCommit, tables: ReadonlySet<Table>) {
    this.#commit = commit
    const found = (query: Q, watch: Watch, slot: number): void => this.#found(query, watch, slot)
    for (const table of tables)
      for (const slot of commit.changeOf(table).touched.keys())
        dispatch.collect(table, slot, commit, found)
    for (const use of ['moved', 'shown'] as const)
      for (const moved of this.#paths[use].values()) this.#addSources(moved, dispatch, use)
  }

  of(query: Q): Concern {
    return entryOf(this.byQuery, query, newConcern)
  }

  #found(query: Q, watch: Watch, slot: number): void {
    const { path } = watch
    if (path.length === 0) {
      const { saved } = this.of(query)
      if (saved[saved.length - 1] !== slot) saved.push(slot)
      return
    }
    if (!this.#isOther(watch, slot)) return
    const { result } = query
    const use = watch.use === 'shown' ? 'shown' : 'moved'
    if (use === 'moved' && !result.isTested) {
      this.of(query).isMoved = true
      return
    }
    const moved = entryOf(this.#paths[use], watch.name, () => newMoved<Q>(result.table))
    moved.queries.add(query)
    if (moved.targets.has(slot)) return
    moved.targets.add(slot)
    for (const source of this.#commit.sourcesOf(watch, slot)) moved.sources.add(source)
  }

  /** True if the effect of a related record may differ from before the commit. */
  #isOther({ table, path, columns, test }: Watch, slot: number): boolean {
    const commit = this.#commit
    if (!commit.isChangedIn(table, slot, columns)) return false
    if (test === null) return true
    const before = commit.before(table, slot)
    const now = commit.now(table, slot)
    const last = path[path.length - 1]
    if (last.kind === 'relatedEntity') {
      if (before === null || now === null) return true
      const { ordinal } = table.model.key
      return before.read(ordinal) !== now.read(ordinal) || test(before) !== test(now)
    }
    // An owner is affected by a record that satisfies the condition, or did, and by one that moved.
    const { ordinal } = last.inverse.foreignKey
    const ownerBefore = before !== null && test(before) ? before.read(ordinal) : null
    const ownerNow = now !== null && test(now) ? now.read(ordinal) : null
    return ownerBefore !== ownerNow
  }

  #addSources(
    { table, sources, queries }: Moved<Q>,
    dispatch: LiveDispatch<Q>,
    member: 'moved' | 'shown',
  ): void {
    const add = (query: Q, slot: number): void => {
      const concern = this.of(query)
      concern[member] ??= new Set()
      concern[member].add(slot)
    }
    const isFew = queries.size < MIN_QUERIES_TO_DISPATCH
    // A query that any change may affect is not in the dispatch.
    const direct = [...queries].filter(({ result }) => isFew || result.watches === null)
    for (const slot of sources) {
      for (const query of direct) add(query, slot)
      if (!isFew)
        dispatch.collect(table, slot, this.#commit, (query, { path }) => {
          if (path.length === 0 && queries.has(query)) add(query, slot)
        })
    }
  }
}
