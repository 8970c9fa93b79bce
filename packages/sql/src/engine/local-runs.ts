import type { Session } from '@entia/core'
import {
  type Awaitable,
  type Caller,
  createLocalEngine,
  type Engine,
  type EntityQuery,
  type Missing,
  type NextSlice,
  type SelectionQuery,
  type WorkingStore,
} from '@entia/engine'
import type { Concluded, Decided } from '../write/decided.ts'
import type { MissingSql } from '../write/missing-sql.ts'
import type { SqlDecider } from '../write/sql-decider.ts'
import { predictedOfReference } from './predicted.ts'

/**
 * Runs of a read, which no code of the application repeats: the relations that a page shows, and
 * what computed attributes read, are found level by level.
 */
const MAX_READ_RUNS = 100

/** What shares the first round trip of a read. */
export interface ReadFacts {
  readonly first?: MissingSql | undefined
  readonly predicted?: readonly Missing[]
}

/** A body that is decided: over a working store, whose engine is `local`. */
export type LocalBody<R> = (local: Engine, as: Caller, working: WorkingStore) => Awaitable<R>

/** Runs the engine of the store in memory over working stores: the one place of all decisions. */
export class LocalRuns {
  readonly #decider: SqlDecider
  readonly #nextSlice: NextSlice
  readonly #sessionIdOf: (session: Session | null) => string | null
  readonly #engines = new WeakMap<WorkingStore, Engine>()

  constructor(
    decider: SqlDecider,
    nextSlice: NextSlice,
    sessionIdOf: (session: Session | null) => string | null,
  ) {
    this.#decider = decider
    this.#nextSlice = nextSlice
    this.#sessionIdOf = sessionIdOf
  }

  /** Decides and commits. Throws as `SqlDecider.write`. */
  write<R>(
    name: string,
    caller: Caller,
    { predicted, written }: Pick<Decided<R>, 'predicted' | 'written'>,
    body: LocalBody<R>,
    bounds: Pick<Decided<R>, 'attempt' | 'maxRuns' | 'maxAttempts' | 'time' | 'wantsToWrite'> = {},
  ): Promise<Concluded<R>> {
    return this.#decider.write({
      ...bounds,
      name,
      session: this.#sessionIdOf(caller.session),
      hasRules: caller.access !== null,
      predicted,
      written,
      body: this.#bodyOf(caller, body),
    })
  }

  /** Decides in a snapshot and keeps nothing. */
  read<R>(
    caller: Caller,
    query: Pick<EntityQuery, 'reference'> | SelectionQuery | null,
    body: LocalBody<R>,
    { first, predicted: further = [] }: ReadFacts = {},
  ): Promise<Concluded<R>> {
    const predicted =
      query !== null && 'reference' in query ? predictedOfReference(query.reference) : []
    return this.#decider.read({
      name: 'a read',
      maxRuns: MAX_READ_RUNS,
      predicted: [...predicted, ...further],
      first,
      body: this.#bodyOf(caller, body),
    })
  }

  #bodyOf<R>(caller: Caller, body: LocalBody<R>) {
    return (working: WorkingStore): Awaitable<R> => {
      let engine = this.#engines.get(working)
      if (engine === undefined)
        this.#engines.set(working, (engine = createLocalEngine(working.store, this.#nextSlice)))
      const session = caller.session === null ? null : working.adopt(caller.session)
      return body(engine, { ...caller, session }, working)
    }
  }
}
