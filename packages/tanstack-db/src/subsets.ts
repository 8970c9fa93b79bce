import type { Condition } from '@entia/core'
import type { Conditions } from './filter.ts'
import type { Holder, Key, Rows } from './rows.ts'
import type { Source } from './source.ts'

/** A condition whose entities somebody needs. */
export interface Subset {
  /** Resolves when the rows have them, to a promise of when the collection shows them. */
  readonly loaded: Promise<{ readonly shown: Promise<void> }>
  close(): void
}
interface Demand {
  readonly condition: Condition
  readonly text: string
  isLoaded: boolean
  readonly load: (shown: Promise<void>) => void
  readonly fail: (error: unknown) => void
}
/** A live query of all conditions together. */
interface Run {
  readonly end: AbortController
  readonly texts: ReadonlySet<string>
  /** Null before the first state. */
  shown: Promise<void> | null
}

/** Statuses of errors after which another attempt can succeed. */
const PASSING: ReadonlySet<unknown> = new Set([0, 429, 502, 503, 504])
/** Milliseconds before another attempt, at first and at most. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

/**
 * The conditions of a collection, followed by one live query, because servers allow few. A new
 * condition needs another live query, and one that is not needed any more leaves with the next.
 */
export class Subsets implements Holder {
  readonly keys = new Set<Key>()
  readonly #source: Source
  readonly #rows: Rows
  readonly #conditions: Conditions
  readonly #failed: (error: unknown) => void
  readonly #demands = new Set<Demand>()
  #run: Run | null = null
  #pause = FIRST_PAUSE
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `failed` is called when the server ends what was loaded. */
  constructor(
    source: Source,
    rows: Rows,
    conditions: Conditions,
    failed: (error: unknown) => void,
  ) {
    this.#source = source
    this.#rows = rows
    this.#conditions = conditions
    this.#failed = failed
  }

  open(condition: Condition): Subset {
    let demand: Demand | undefined
    const loaded = new Promise<{ readonly shown: Promise<void> }>((resolve, reject) => {
      demand = {
        condition,
        text: JSON.stringify([condition.text, condition.params]),
        isLoaded: false,
        load(shown) {
          this.isLoaded = true
          resolve({ shown })
        },
        fail: reject,
      }
      this.#demands.add(demand)
    })
    loaded.catch(() => {})
    this.#update()
    return {
      loaded,
      close: () => {
        if (this.#demands.delete(demand!) && this.#demands.size === 0) this.end()
      },
    }
  }

  /** Ends the live query, and removes what only it has. */
  end(): void {
    clearTimeout(this.#timer)
    this.#run?.end.abort()
    this.#run = null
    this.#demands.clear()
    this.#rows.drop(this)
  }

  /** Loads what is not loaded, after the live query that is starting. */
  #update(): void {
    const run = this.#run
    if (run?.shown === null) return
    let isMissing = false
    for (const demand of this.#demands)
      if (demand.isLoaded) continue
      else if (run?.texts.has(demand.text)) demand.load(run.shown)
      else isMissing = true
    if (isMissing) this.#start()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#run?.end.abort()
    const demands = [...this.#demands]
    const byText = new Map(demands.map(({ text, condition }) => [text, condition]))
    const end = new AbortController()
    const run: Run = { end, texts: new Set(byText.keys()), shown: null }
    this.#run = run
    const following = this.#source.follow(
      this.#conditions.or(...byText.values()),
      (change) => {
        if (end.signal.aborted) return
        this.#pause = FIRST_PAUSE
        run.shown = this.#rows.apply(this, change)
        // The cleanup of the collection abandons it.
        run.shown.catch(() => {})
        this.#update()
      },
      end.signal,
    )
    following.catch((error: unknown) => {
      if (end.signal.aborted) return
      this.#run = null
      this.#fail(demands, error)
    })
  }

  /** Loads the other conditions again without those that have failed. */
  #fail(demands: readonly Demand[], error: unknown): void {
    const fresh = demands.filter(({ isLoaded }) => !isLoaded)
    for (const demand of fresh) {
      this.#demands.delete(demand)
      demand.fail(error)
    }
    if (this.#demands.size === 0) this.end()
    else if (fresh.length > 0) this.#start()
    else if (PASSING.has((error as { readonly status?: unknown } | null)?.status)) {
      this.#timer = setTimeout(() => this.#start(), this.#pause)
      this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2)
    } else {
      // What is not followed would become outdated.
      this.end()
      this.#failed(error)
    }
  }
}
