import { createHash } from 'node:crypto'
import type { Catalog, ClassModel, ViewOptions } from '@entia/core'
import {
  EVERYTHING,
  hasRelevance,
  type NameRule,
  type NameRules,
  type OrderBy,
  type Predicate,
  type ReadFilter,
  type ResolvedPath,
  type Sees,
  ViewFilters,
} from '@entia/core/internal'
import {
  accessView,
  type Caller,
  type FilterText,
  notOnThisEngine,
  ofApplication,
} from '@entia/engine'

/**
 * Binds the texts of one caller. What is not exposed is unknown; otherwise filters could reveal
 * hidden values by trial.
 */
export class CallerFilters {
  readonly catalog: Catalog
  readonly #filters: ViewFilters

  constructor(catalog: Catalog, filters: ViewFilters) {
    this.catalog = catalog
    this.#filters = filters
  }

  get restrictsRows(): boolean {
    return this.#filters.restrictsRows
  }
  /** True for attributes that the caller knows. */
  get sees(): Sees {
    return this.#filters.names.sees
  }

  /** What binds names without values. */
  get binder(): NameRule {
    return this.#filters.names
  }

  /** The row filter of a dataclass; null where the caller may see all entities. */
  readonly rowsOf = (dataClass: ClassModel): Predicate | null => this.#filters.rowsOf(dataClass)

  /** Row filters with equal texts are equal: the filter of a dataclass with its parameters. */
  ruleTextOf(dataClass: ClassModel): string | null {
    return this.#filters.ruleOf(dataClass)?.text ?? null
  }
  /** A short name of the row filter of a dataclass; null without one. */
  ruleOf(dataClass: ClassModel): string | null {
    const text = this.ruleTextOf(dataClass)
    return text === null ? null : ruleOfText(text)
  }

  /** A filter with the row filters of the caller; all visible entities without one. */
  bind(dataClass: ClassModel, filter: FilterText | null): ReadFilter {
    if (filter !== null) {
      const bound = this.#filters.bindFilter(dataClass, filter.text, filter.params ?? undefined)
      refuseRelevance(bound.orderBy)
      return bound
    }
    const predicate = this.rowsOf(dataClass) ?? EVERYTHING
    return { dataClass, text: null, predicate, asked: () => EVERYTHING, orderBy: null }
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    const orderBy = this.#filters.names.bindOrderBy(dataClass, text)
    refuseRelevance(orderBy)
    return orderBy
  }
  resolvePath(dataClass: ClassModel, path: string): ResolvedPath {
    return this.#filters.names.resolvePath(dataClass, path)
  }
}

/** Scores count all texts, which the database does not keep counted. */
function refuseRelevance(orderBy: OrderBy | null): void {
  if (!hasRelevance(orderBy)) return
  throw notOnThisEngine('An order by relevance', 'Use another order, or a store in memory.')
}

/** A short name of a row filter. */
export const ruleOfText = (text: string): string =>
  createHash('sha256').update(text).digest('base64url')

/** The filters of callers: those of everybody once, others for each request. */
export function callerFilters(
  rules: NameRules,
  catalog: Catalog,
): (caller: Caller) => CallerFilters {
  const everybodys = filtersWith(rules, catalog, { exposedOnly: true })
  return ({ access }) =>
    access === null
      ? everybodys
      : ofApplication(() => filtersWith(rules, catalog, accessView(catalog, access)))
}

/** The filters of the application itself: it sees everything, also what is not exposed. */
export const ownFilters = (rules: NameRules, catalog: Catalog): CallerFilters =>
  filtersWith(rules, catalog, {})

const filtersWith = (rules: NameRules, catalog: Catalog, options: ViewOptions): CallerFilters =>
  new CallerFilters(catalog, new ViewFilters(rules, catalog, options))
