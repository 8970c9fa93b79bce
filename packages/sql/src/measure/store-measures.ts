import { AsyncLocalStorage } from 'node:async_hooks'
import type { MetricFamily, RequestTally, StopSign } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import { DatabaseSampling, type SamplingOptions } from './database-sample.ts'
import { type Measuring, measuredPool, type SharedPool, sharedPool } from './measured-pool.ts'
import { databaseFamilies, type MeasuredStore, processFamilies } from './metric-families.ts'
import { type RoundTripKind, SqlFigures } from './sql-figures.ts'

/** Measures a store over PostgreSQL: its parts use the pools that are made here. */
export class StoreMeasures {
  readonly figures = new SqlFigures()
  readonly #pool: SqlPool
  readonly #opened: number
  readonly #measuring: Measuring

  constructor(pool: SqlPool, monotonic: () => number) {
    this.#pool = pool
    this.#opened = monotonic()
    const { figures } = this
    this.#measuring = {
      figures,
      monotonic,
      request: { storage: null },
      stopping: { storage: null },
    }
  }

  /** The pool for one kind of work. */
  poolFor(kind: RoundTripKind): SqlPool {
    return measuredPool(this.#pool, kind, this.#measuring)
  }
  /** The pool for what requests do together. */
  sharedPoolFor(kind: RoundTripKind): SharedPool {
    return sharedPool(this.#pool, kind, this.#measuring)
  }

  /**
   * Runs a call and adds up what it needs of the database. From the first call on, Node follows
   * which promise belongs to which request.
   */
  readonly tallying = <R>(tally: RequestTally, call: () => R): R => {
    const { request } = this.#measuring
    request.storage ??= new AsyncLocalStorage()
    return request.storage.run(tally, call)
  }

  /** Runs a call whose statements are cancelled if its request is stopped. */
  readonly stoppable = <R>(stop: StopSign, call: () => R): R => {
    const { stopping } = this.#measuring
    stopping.storage ??= new AsyncLocalStorage()
    return stopping.storage.run(stop, call)
  }

  /** Reads the figures of the database. */
  sampling(parts: Pick<SamplingOptions, 'model' | 'state'>): DatabaseSampling {
    const { monotonic } = this.#measuring
    return new DatabaseSampling({ pool: this.#pool, monotonic, ...parts })
  }

  /** The metrics of an engine. Cost of a call: five statements at most once in five seconds. */
  metrics(
    parts: Pick<MeasuredStore, 'model' | 'counts' | 'followed'>,
    sampling: DatabaseSampling,
  ): () => Promise<readonly MetricFamily[]> {
    const { monotonic } = this.#measuring
    const measured: MeasuredStore = {
      ...parts,
      figures: this.figures,
      pool: this.#pool,
      uptime: () => monotonic() - this.#opened,
    }
    return async () => [
      ...processFamilies(measured),
      ...databaseFamilies(await sampling.take(), measured),
    ]
  }
}
