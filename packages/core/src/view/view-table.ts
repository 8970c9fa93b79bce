import type { ClassModel } from '../model/catalog.ts'
import { TableQueries } from '../read/table-queries.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { ViewPort } from './view-port.ts'

/** One dataclass of a view, for reading only. */
export class ViewTable extends TableQueries {
  readonly #port: ViewPort

  constructor(model: ClassModel, port: ViewPort) {
    super(model, port.queries)
    this.#port = port
  }

  get count(): number {
    return this.all().count
  }
  get(key: unknown): object | undefined {
    const stored = storedKey(this.model, key)
    if (stored !== null) return this.#port.get(this.model, stored)
    this.#port.moment.enter()
    return undefined
  }
  has(key: unknown): boolean {
    this.#port.moment.enter()
    const stored = storedKey(this.model, key)
    return stored !== null && this.#port.find(this.model, stored) >= 0
  }

  /** The text that Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `View of ${this.name} (${this.count})`
  }
}
