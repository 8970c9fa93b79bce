import type { ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { Selection } from '../selection/selection.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import type { Queries } from './queries.ts'

/** What a capability reads of a dataclass, on behalf of one caller. */
export interface TableParts {
  readonly model: ClassModel
  readonly port: SelectionPort
}

let partsOf: (table: TableQueries) => TableParts

/**
 * The parts of a dataclass of a store, of a view or of the past, for the capabilities that add
 * members to its class.
 */
export const tableParts = (table: TableQueries): TableParts => partsOf(table)

/**
 * The queries of one dataclass: the same for the store, for a view and for the past, each on behalf
 * of its caller.
 */
export class TableQueries {
  readonly #model: ClassModel
  readonly #queries: Queries

  static {
    partsOf = (table) => ({ model: table.#model, port: table.#queries.port })
  }

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
  query(filter: string | Condition, params?: unknown, options?: QueryOptions): Selection {
    return this.#queries.query(this.#model, filter, params, options)
  }
  findBy(attribute: string, value: unknown): AnyEntity | undefined {
    return this.#queries.findBy(this.#model, attribute, value)
  }
}
