import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import { TableQueries } from '../query/queries.ts'
import type { Selection } from '../query/selection.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { ViewPort } from './view-port.ts'

/** One dataclass of a view, for reading only. */
export class ViewTable extends TableQueries implements DataClassCore<Untyped, Untyped, Selection> {
  readonly #port: ViewPort

  constructor(model: ClassModel, port: ViewPort) {
    super(model, port.queries)
    this.#port = port
  }

  get count(): number {
    return this.all().count
  }
  get(key: unknown): AnyEntity | undefined {
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
