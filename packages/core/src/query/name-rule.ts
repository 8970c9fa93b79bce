import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { TextMatching } from '../filter/context.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, OrderBy } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import { everything, isVisible, type ResolvedPath, resolvePath, type Sees } from '../model/path.ts'
import { FilterCache, type MakeTemplate, TextCache } from './filter-cache.ts'

/** Texts kept compiled, per dataclass and kind. */
const CACHE_SIZE = 500

/**
 * Reads the texts that name attributes, for readers who know the same ones. To such a reader other
 * names are unknown.
 */
export class NameRule {
  readonly sees: Sees
  readonly limits: FilterLimits
  readonly #size: number
  readonly #template: MakeTemplate | null
  readonly #filters: FilterCache
  /** For data whose relations may lead to nothing; made when first needed. */
  #openFilters: FilterCache | null = null
  /** Of row filters, by their rules for texts; made when first needed. */
  readonly #rules: (FilterCache | undefined)[] = []
  /** By `ClassModel.ordinal`. */
  readonly #orders: (TextCache<OrderBy> | undefined)[] = []

  constructor(
    limits: FilterLimits,
    sees: Sees = everything,
    template: MakeTemplate | null = null,
    size = CACHE_SIZE,
  ) {
    this.sees = sees
    this.limits = limits
    this.#size = size
    this.#template = template
    this.#filters = new FilterCache({ limits, isVisible: sees }, size, template)
  }

  get filtersCompiled(): number {
    return this.#filters.compilations
  }
  /**
   * `mayDangle`: foreign keys may lead to nothing, as inside a transaction; then none stands for
   * its relation.
   */
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    mayDangle = false,
  ): BoundFilter {
    const filters = mayDangle ? this.#open : this.#filters
    return filters.bind(dataClass, text, params as FilterParameters | undefined)
  }
  /** A row filter, whose texts are compared by rules of its own. */
  bindRule(
    dataClass: ClassModel,
    text: string,
    params: unknown,
    matching: TextMatching,
    mayDangle: boolean,
  ): BoundFilter {
    const { wildcards, isExact } = matching
    const at = Number(wildcards) + 2 * Number(isExact) + 4 * Number(mayDangle)
    this.#rules[at] ??= new FilterCache(
      {
        limits: this.limits,
        matching: { wildcards, isExact },
        isVisible: this.sees,
        ...(mayDangle ? { isRestricted: () => true } : {}),
      },
      this.#size,
      null,
    )
    return this.#rules[at].bind(dataClass, text, params as FilterParameters | undefined)
  }
  get #open(): FilterCache {
    const options = { limits: this.limits, isVisible: this.sees, isRestricted: () => true }
    return (this.#openFilters ??= new FilterCache(options, this.#size, this.#template))
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    const cache = (this.#orders[dataClass.ordinal] ??= new TextCache(this.#size))
    let orderBy = cache.get(text)
    if (orderBy === undefined) {
      orderBy = bindOrderBy(text, dataClass, { limits: this.limits, isVisible: this.sees })
      cache.set(text, orderBy)
    }
    return orderBy
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return resolvePath(dataClass, text, this.sees)
  }
}

/** The sets of names of a model that are compiled once for all readers. */
export interface NameRules {
  readonly limits: FilterLimits
  readonly template: MakeTemplate | null
  /** Every name is known. */
  readonly names: NameRule
  /** Names of what is exposed are known. */
  readonly exposedNames: NameRule
}

export const createNameRules = (
  limits: FilterLimits,
  template: MakeTemplate | null = null,
): NameRules => ({
  limits,
  template,
  names: new NameRule(limits, everything, template),
  exposedNames: new NameRule(limits, isVisible, template),
})
