import type { ClassModel } from '../model/catalog.ts'
import type { Explain, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { Selection } from '../selection/selection.ts'
import type { ViewPort } from './view-port.ts'

/** One dataclass of a store as one reader sees it: reading only. */
export class ViewTable {
  readonly model: ClassModel
  readonly #port: ViewPort

  constructor(model: ClassModel, port: ViewPort) {
    this.model = model
    this.#port = port
  }

  get name(): string {
    return this.model.name
  }
  get count(): number {
    return this.all().count
  }
  get(key: unknown): object | undefined {
    const stored = this.#port.storedKey(this.model, key)
    if (stored !== null) return this.#port.get(this.model, stored)
    this.#port.enter()
    return undefined
  }
  has(key: unknown): boolean {
    this.#port.enter()
    const stored = this.#port.storedKey(this.model, key)
    return stored !== null && this.#port.find(this.model, stored) >= 0
  }
  all(): Selection {
    return this.#port.queries.all(this.model)
  }
  empty(): Selection {
    return this.#port.queries.empty(this.model)
  }
  from(keys: Iterable<unknown>): Selection {
    return this.#port.queries.from(this.model, keys)
  }
  query(filter: string, params?: unknown, options?: QueryOptions): Selection {
    return this.#port.queries.query(this.model, filter, params, options)
  }
  findBy(attribute: string, value: unknown): object | undefined {
    return this.#port.queries.findBy(this.model, attribute, value)
  }
  explain(filter: string, params?: unknown, options?: QueryOptions): Explain {
    return this.#port.queries.explain(this.model, filter, params, options)
  }
  trace(filter: string, params?: unknown, options?: QueryOptions): FilterTrace {
    return this.#port.queries.trace(this.model, filter, params, options)
  }
  plans(filter: string, params?: unknown): readonly Explain[] {
    return this.#port.queries.plans(this.model, filter, params)
  }

  /** What Node prints for it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `View of ${this.name} (${this.count})`
  }
}
