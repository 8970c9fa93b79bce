import type { SqlPool } from '../connect/port.ts'
import { storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

export interface ReplicasOptions {
  readonly primary: SqlPool
  readonly replicas: readonly SqlPool[]
  readonly model: SqlModel
  /** One id per dataset: a replica of another one is not used. */
  readonly instance: string
  /** Milliseconds. */
  readonly monotonic: () => number
}

/** A replica for one read. */
export interface ChosenReplica {
  readonly pool: SqlPool
  /** The lowest global stamp that a statement there must be as of. */
  readonly lowest: number
  /** The global stamp of the primary when the read began: the answer is as of that, or later. */
  readonly globalStamp: number
  /** Call it when the replica does not answer. */
  readonly fail: () => void
}

/** What the primary has committed. */
interface Head {
  readonly globalStamp: number
  /** The global stamp of the last change of each dataclass. */
  readonly changed: ReadonlyMap<string, number>
}

/** How long a replica is left out that did not answer. */
const REST_MILLISECONDS = 5000
/** How old the last answer of a replica may be. */
const ANSWER_MILLISECONDS = 1000

/**
 * The replicas of a database, which lag behind it. A read may use a replica that has every change
 * of its dataclasses that was committed before the read began. So no reader sees a state older than
 * one that was seen before, by any client of any process. The price: the primary is asked for its
 * global stamp, by one statement for all reads that wait at the same time.
 */
export class Replicas {
  readonly #options: ReplicasOptions
  readonly #replicas: readonly Replica[]
  #turn = 0
  /** The question that is being answered. */
  #asking: Promise<unknown> = Promise.resolve()
  /** The question that is sent after it, for everything that begins until then. */
  #next: Promise<Head> | null = null

  constructor(options: ReplicasOptions) {
    this.#options = options
    this.#replicas = options.replicas.map((pool) => new Replica(pool, options))
  }

  get isEmpty(): boolean {
    return this.#replicas.length === 0
  }

  /**
   * A replica for a read of these dataclasses (null: of any), in turn; null for the primary.
   * Rejects with the `DatabaseError` of the primary.
   */
  async choose(reads: ReadonlySet<string> | null): Promise<ChosenReplica | null> {
    if (this.isEmpty) return null
    for (const replica of this.#replicas) replica.ask()
    const { globalStamp, changed } = await this.#head()
    const lowest =
      reads === null
        ? globalStamp
        : Math.max(0, ...Array.from(reads, (name) => changed.get(name) ?? globalStamp))
    const fit = this.#replicas.filter((replica) => replica.hasReached(lowest))
    const chosen = fit[this.#turn++ % Math.max(1, fit.length)]
    return chosen === undefined
      ? null
      : { pool: chosen.pool, lowest, globalStamp, fail: () => chosen.rest() }
  }

  /** What was committed when this was called, or later. */
  #head(): Promise<Head> {
    this.#next ??= this.#asking.then(() => {
      this.#next = null
      const head = this.#askPrimary()
      this.#asking = head.catch(() => {})
      return head
    })
    return this.#next
  }

  async #askPrimary(): Promise<Head> {
    const { primary, model } = this.#options
    const classes = new SqlName(model.schema, 'entia_class')
    const { rows } = await primary.query(
      statementOf(
        sql`SELECT g.stamp, c.class, c.changed FROM ${storeRow(model.schema)} LEFT JOIN ${classes} AS c ON TRUE`,
      ),
    )
    return {
      globalStamp: Number(rows[0]![0]),
      changed: new Map(rows.map(([, name, changed]) => [String(name), Number(changed)])),
    }
  }
}

/** What is known of one replica. */
class Replica {
  readonly pool: SqlPool
  readonly #options: ReplicasOptions
  #reached = -1
  #answeredAt = Number.NEGATIVE_INFINITY
  #restsUntil = Number.NEGATIVE_INFINITY
  #isAsking = false

  constructor(pool: SqlPool, options: ReplicasOptions) {
    this.pool = pool
    this.#options = options
  }

  /** True if it has answered lately, and had everything up to a global stamp. */
  hasReached(stamp: number): boolean {
    const now = this.#options.monotonic()
    const isThere = now >= this.#restsUntil && now - this.#answeredAt < ANSWER_MILLISECONDS
    return isThere && this.#reached >= stamp
  }

  /** Asks for its global stamp. No read waits for the answer. */
  ask(): void {
    if (this.#isAsking || this.#options.monotonic() < this.#restsUntil) return
    this.#isAsking = true
    void this.#ask().finally(() => {
      this.#isAsking = false
    })
  }

  rest(): void {
    this.#restsUntil = this.#options.monotonic() + REST_MILLISECONDS
  }

  async #ask(): Promise<void> {
    const { model, instance, monotonic } = this.#options
    const store = new SqlName(model.schema, 'entia_store')
    try {
      const { rows } = await this.pool.query(
        statementOf(sql`SELECT g.stamp, s.instance FROM ${storeRow(model.schema)}, ${store} AS s`),
      )
      const [stamp, found] = rows[0]!
      if (found !== instance) return this.rest()
      this.#reached = Number(stamp)
      this.#answeredAt = monotonic()
    } catch {
      this.rest()
    }
  }
}
