import type { ClassModel } from '../model/catalog.ts'
import type { Explain, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { EntityText, TextForm } from '../model/text-form.ts'
import type { Selection } from '../selection/selection.ts'
import type { Queries } from './queries.ts'

/** The ways from one dataclass to a selection: the same for the store and for a view, each with queries of its own. */
export class TableQueries {
  readonly #model: ClassModel
  readonly #queries: Queries

  constructor(model: ClassModel, queries: Queries) {
    this.#model = model
    this.#queries = queries
  }

  get name(): string {
    return this.#model.name
  }
  get model(): ClassModel {
    return this.#model
  }
  all(): Selection {
    return this.#queries.all(this.#model)
  }
  empty(): Selection {
    return this.#queries.empty(this.#model)
  }
  from(keys: Iterable<unknown>): Selection {
    return this.#queries.from(this.#model, keys)
  }
  query(filter: string, params?: unknown, options?: QueryOptions): Selection {
    return this.#queries.query(this.#model, filter, params, options)
  }
  findBy(attribute: string, value: unknown): object | undefined {
    return this.#queries.findBy(this.#model, attribute, value)
  }
  text(key: unknown, form: TextForm): EntityText | undefined {
    return this.#queries.text(this.#model, key, form)
  }
  life(key: unknown): string | undefined {
    return this.#queries.life(this.#model, key)
  }
  /** The plan a query would take, without running it. */
  explain(filter: string, params?: unknown, options?: QueryOptions): Explain {
    return this.#queries.explain(this.#model, filter, params, options)
  }
  /** Runs a filter part by part, and tells what each part found. */
  trace(filter: string, params?: unknown, options?: QueryOptions): FilterTrace {
    return this.#queries.trace(this.#model, filter, params, options)
  }
  /** Every plan that is priced for a filter, the cheapest first; `query(…, { plan: n })` runs the n-th. */
  plans(filter: string, params?: unknown): readonly Explain[] {
    return this.#queries.plans(this.#model, filter, params)
  }
}
