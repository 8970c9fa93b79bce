import { type Catalog, overBudget } from '@entia/core/internal'
import type { Effects } from './effects.ts'
import type { Found, Missing } from './missing.ts'
import { type WorkingOptions, WorkingStore } from './working-store.ts'

/** Runs of one body: as many as it has reads that depend on each other, and one. */
const MAX_RUNS = 16

/** Facts of the database at one moment. */
export interface Fetched {
  /** An answer to each missing fact, in any order. */
  readonly found: readonly Found[]
  /** The global stamp of that moment; the commits of the decision continue from it. */
  readonly globalStamp: number
}

/** Reads facts from the database. */
export type Fetch = (missing: readonly Missing[]) => PromiseLike<Fetched>

/** What a body returned or threw, and what it left behind: it may commit before it throws. */
export type Decision<R> = Effects & { readonly runs: number } & Outcome<R>

export type Outcome<R> =
  | { readonly kind: 'returned'; readonly value: R }
  | { readonly kind: 'thrown'; readonly error: unknown }

export interface DecideOptions {
  /** Names the function or hook in the error that refuses too many runs. */
  readonly name: string
  readonly fetch: Fetch
  /** Facts known beforehand, so that the first run may be the only one. */
  readonly given?: Fetched | undefined
  /** 16 unless given. */
  readonly maxRuns?: number | undefined
}

/**
 * Runs `body` over a working store until nothing is missing. Each run begins with the known records
 * and without the effects of the runs before it; clock and ids repeat their answers. Only one body
 * may use the store at a time. Throws what `fetch` throws, and `budgetExceeded` after `maxRuns`
 * runs.
 */
export async function decide<R>(
  working: WorkingStore,
  body: (working: WorkingStore) => R | PromiseLike<R>,
  { name, fetch, given, maxRuns = MAX_RUNS }: DecideOptions,
): Promise<Decision<R>> {
  if (given !== undefined) working.add(given.found, given.globalStamp)
  for (let runs = 1; runs <= maxRuns; runs++) {
    working.begin()
    const outcome = await outcomeOf(() => body(working))
    const { missing } = working
    if (missing.length === 0) return { ...outcome, ...working.effects(), runs }
    const { found, globalStamp } = await fetch(missing)
    working.add(found, globalStamp)
  }
  throw overBudget(
    `runs of ${name}, each of which asks the database for more entities,`,
    maxRuns,
    'none: use fewer queries that depend on each other',
  )
}

/** What the body returned or threw. */
export async function outcomeOf<R>(body: () => R | PromiseLike<R>): Promise<Outcome<R>> {
  try {
    return { kind: 'returned', value: await body() }
  } catch (error) {
    return { kind: 'thrown', error }
  }
}

/** Stores that most decisions at a time need; more are created and dropped. */
const MAX_KEPT = 64

/** Emptied working stores of one catalog. Creating one costs about a millisecond. */
export class WorkingPool {
  readonly #catalog: Catalog
  readonly #options: WorkingOptions
  readonly #free: WorkingStore[] = []

  constructor(catalog: Catalog, options: WorkingOptions = {}) {
    this.#catalog = catalog
    this.#options = options
  }

  take(): WorkingStore {
    return this.#free.pop() ?? new WorkingStore(this.#catalog, this.#options)
  }

  /** Empties a store and keeps it. Nothing may use it, nor its hooks, any more. */
  give(working: WorkingStore): void {
    try {
      working.empty()
    } catch {
      // A broken store is of no use.
      return
    }
    if (this.#free.length < MAX_KEPT) this.#free.push(working)
  }
}
