import {
  type Caller,
  counter,
  type EntityQuery,
  type MetricFamily,
  type PageQuery,
  type SelectionQuery,
} from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import { type AnswerParts, readsOfAnswer } from '../live/live-reads.ts'
import type { SetContext } from '../read/asked-set.ts'
import type { Replicas } from '../read/replicas.ts'
import { type ReadLocally, type Reads, SqlReader } from '../read/sql-reader.ts'

/**
 * Where a read goes: to which dataclasses it looks (null: any), and whether a replica may answer.
 */
interface Asked {
  readonly reads: ReadonlySet<string> | null
  readonly isPossible: boolean
}

/**
 * The reads of an engine, each on a replica that has everything that the read could see on the
 * primary, or on the primary. Entity sets are on the primary only. A read that fails on a replica
 * runs again on the primary.
 */
export class ReplicaReads implements Reads {
  readonly #context: SetContext
  readonly #replicas: Replicas
  readonly #readLocally: ReadLocally
  readonly #primary: SqlReader
  #answered = 0
  #failed = 0

  constructor(context: SetContext, replicas: Replicas, readLocally: ReadLocally) {
    this.#context = context
    this.#replicas = replicas
    this.#readLocally = readLocally
    this.#primary = new SqlReader(context, readLocally)
  }

  /** Reads of the primary. */
  get primary(): SqlReader {
    return this.#primary
  }

  /** None without replicas. */
  metrics(): readonly MetricFamily[] {
    if (this.#replicas.isEmpty) return []
    return [
      counter('replica_reads', 'Reads that a replica answered.', this.#answered),
      counter('replica_failures', 'Reads that a replica failed.', this.#failed),
    ]
  }

  readEntity(query: EntityQuery, caller: Caller): ReturnType<SqlReader['readEntity']> {
    const { reference, through, filter, projection, content } = query
    const source = { kind: 'all', dataClass: reference.dataClass } as const
    const asked = (): Asked => ({
      reads: through === null ? this.#readsOf({ source, filter, projection }, caller) : null,
      isPossible: content === 'address',
    })
    return this.#read(asked, (reader) => reader.readEntity(query, caller))
  }
  readSelection(query: PageQuery, caller: Caller): ReturnType<SqlReader['readSelection']> {
    const { source, keep } = query
    const asked = (): Asked => ({
      reads: source.kind === 'entitySet' ? null : this.#readsOf(query, caller),
      isPossible: keep === null && mayRead(query),
    })
    return this.#read(asked, (reader) => reader.readSelection(query, caller))
  }
  compute(...[query, caller]: Parameters<SqlReader['compute']>) {
    return this.#read(anyClass(query), (reader) => reader.compute(query, caller))
  }
  distinct(...[query, caller]: Parameters<SqlReader['distinct']>) {
    return this.#read(anyClass(query), (reader) => reader.distinct(query, caller))
  }
  group(...[query, caller]: Parameters<SqlReader['group']>) {
    return this.#read(anyClass(query), (reader) => reader.group(query, caller))
  }

  async #read<A extends object>(
    asked: () => Asked,
    read: (reader: SqlReader) => Promise<A | null>,
  ): Promise<A | null> {
    if (this.#replicas.isEmpty) return read(this.#primary)
    const { reads, isPossible } = asked()
    const chosen = isPossible ? await this.#replicas.choose(reads) : null
    if (chosen === null) return read(this.#primary)
    const { pool, lowest, globalStamp } = chosen
    try {
      const reader = new SqlReader({ ...this.#context, pool, lowest }, this.#readLocally)
      const answer = await read(reader)
      this.#answered++
      if (answer === null || !('globalStamp' in answer)) return answer
      // No commit between the two changed what was read.
      this.#context.dataset.note(globalStamp)
      return { ...answer, globalStamp: Math.max(Number(answer.globalStamp), globalStamp) }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      if (error.failure === 'unavailable') chosen.fail()
      this.#failed++
      return read(this.#primary)
    }
  }

  /** Null if the query is wrong: the reader tells what is. */
  #readsOf(query: AnswerParts, caller: Caller): ReadonlySet<string> | null {
    try {
      return readsOfAnswer(this.#context.filtersOf(caller), query)
    } catch {
      return null
    }
  }
}

/** Entity sets are not on replicas. */
const mayRead = ({ source, saved }: SelectionQuery): boolean =>
  source.kind !== 'entitySet' && saved === null

const anyClass = (query: SelectionQuery) => (): Asked => ({
  reads: null,
  isPossible: mayRead(query),
})
