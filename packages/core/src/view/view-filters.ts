import { both } from '../filter/draft.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { Predicate } from '../filter/predicate.ts'
import { restrictRelations } from '../filter/restrict-predicate.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { ViewOptions } from '../model/view-types.ts'
import { FilterCache } from '../read/filter-cache.ts'
import type { NameRule, NameRules } from '../read/name-rule.ts'
import type { ReadFilter } from '../selection/selection-port.ts'
import { type BoundRule, namesOf, rowsOf, VIEW_CACHE_SIZE } from './view-options.ts'

/** Compiled filters of one view: as written (`asked`), and with the row filters added (`seen`). */
interface CompiledFilters {
  readonly asked: FilterCache
  readonly seen: FilterCache
}

/**
 * Binds the filters of one caller to the names that the caller may use, with the row filters added
 * to every relation. It needs a catalog and no data. `mayDangle`: foreign keys may lead to nothing,
 * as inside a transaction.
 */
export class ViewFilters {
  readonly names: NameRule
  /** True when some entities are hidden. */
  readonly restrictsRows: boolean
  readonly #rules: NameRules
  readonly #rows: ReadonlyMap<ClassModel, BoundRule>
  readonly #filters: CompiledFilters
  /** The same for data with dangling relations; created when first needed. */
  #openFilters: CompiledFilters | null = null

  /** Throws `dataClassNotFound` and the errors of a filter. */
  constructor(rules: NameRules, catalog: Catalog, options: ViewOptions) {
    this.#rules = rules
    this.names = namesOf(rules, options)
    this.#rows = rowsOf(rules, catalog, options)
    this.restrictsRows = this.#rows.size > 0
    this.#filters = this.#createFilters((dataClass) => this.#rows.has(dataClass), false)
  }

  /** The rule of a dataclass with hidden entities. */
  ruleOf(dataClass: ClassModel): BoundRule | undefined {
    return this.#rows.get(dataClass)
  }
  /** What an entity of a dataclass must satisfy to be seen; null where all can be. */
  rowsOf(dataClass: ClassModel, mayDangle = false): Predicate | null {
    const rule = this.#rows.get(dataClass)
    if (rule === undefined) return null
    return mayDangle ? rule.openPredicate() : rule.predicate
  }

  /** The filter of a text, or of a blank one for all entities that the caller may see. */
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    mayDangle = false,
  ): ReadFilter {
    if (!this.restrictsRows) return this.names.bindFilter(dataClass, text, params, mayDangle)
    const { seen, asked } = mayDangle
      ? (this.#openFilters ??= this.#createFilters(() => true, true))
      : this.#filters
    const parameters = params as FilterParameters | undefined
    return {
      ...seen.bind(dataClass, text, parameters),
      asked: () => asked.bind(dataClass, text, parameters).predicate,
    }
  }

  #createFilters(
    isRestricted: (dataClass: ClassModel) => boolean,
    mayDangle: boolean,
  ): CompiledFilters {
    const { limits } = this.#rules
    const bindOptions = { limits, isVisible: this.names.sees, isRestricted }
    return {
      asked: new FilterCache(bindOptions, VIEW_CACHE_SIZE, null),
      seen: new FilterCache(bindOptions, VIEW_CACHE_SIZE, null, (dataClass, predicate) => {
        const rows = this.rowsOf(dataClass, mayDangle)
        const restricted = restrictRelations(predicate, (to) => this.rowsOf(to, mayDangle))
        return rows === null ? restricted : both([restricted, rows])
      }),
    }
  }
}
