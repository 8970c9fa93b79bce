import { type PreparedFilter, prepareFilter } from '../filter/bind-filter.ts'
import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { BindOptions, TextMatching } from '../filter/context.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import { everything, isVisible, type ResolvedPath, resolvePath, type Sees } from '../model/path.ts'
import type { RangeTemplate } from '../plan/range-filter.ts'
import { rewrite } from '../plan/rewrite.ts'
import { describeFound, refused } from '../value/check-options.ts'

/** Characters that a text may take of a cache's room: longer ones evict others sooner. */
const CHARACTERS_PER_TEXT = 256

/**
 * What was compiled from texts, by text. Two generations: when the recent one is full it becomes
 * the older one, and texts that are not used again are dropped with it. A look-up costs one hash of
 * the text, and eviction costs nothing.
 */
export class TextCache<V> {
  #recent = new Map<string, V>()
  #older = new Map<string, V>()
  #characters = 0
  readonly #size: number

  /** Keeps at most `size` texts. */
  constructor(size: number) {
    this.#size = Math.max(1, size >> 1)
  }

  get(text: string): V | undefined {
    return this.#recent.get(text) ?? this.#promoted(text)
  }
  set(text: string, value: V): void {
    if (this.#recent.size >= this.#size || this.#characters >= this.#size * CHARACTERS_PER_TEXT) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#characters = 0
    }
    this.#recent.set(text, value)
    this.#characters += text.length
  }

  #promoted(text: string): V | undefined {
    const value = this.#older.get(text)
    if (value !== undefined) this.set(text, value)
    return value
  }
}

/** A compiled filter text. */
interface CompiledFilter {
  readonly prepared: PreparedFilter
  /** The bound filter, if the text has no placeholders. */
  readonly fixed: BoundFilter | null
  /** Turns values into the bounds of a range, if the filter is one range. */
  readonly range: RangeTemplate | null
}

/** See `IndexSupport.template`. */
type MakeTemplate = (prepared: PreparedFilter) => RangeTemplate | null

/** The compiled filters of one dataclass. */
class CompiledTexts {
  readonly cache: TextCache<CompiledFilter>
  /**
   * Texts seen once. A text is cached when it is seen again, so filters that are used once take no
   * memory.
   */
  once = new Set<string>()
  onceCharacters = 0

  constructor(size: number) {
    this.cache = new TextCache(size)
  }
}

/**
 * Compiled filters by text, for readers who know the same names. A text is cached when it is used
 * for the second time.
 */
export class FilterCache {
  /** The number of texts compiled because the cache did not have them. */
  compilations = 0
  /** By `ClassModel.ordinal`, each made when first needed. */
  readonly #texts: (CompiledTexts | undefined)[] = []
  readonly #options: BindOptions
  readonly #size: number
  readonly #template: MakeTemplate | null
  readonly #restricted: ((dataClass: ClassModel, predicate: Predicate) => Predicate) | undefined

  /**
   * `size`: texts kept per dataclass, at most. `restricted`: adds to a bound predicate what limits
   * the reader.
   */
  constructor(
    options: BindOptions,
    size: number,
    template: MakeTemplate | null,
    restricted?: (of: ClassModel, predicate: Predicate) => Predicate,
  ) {
    this.#options = options
    this.#size = Math.max(2, size)
    this.#template = restricted === undefined ? template : null
    this.#restricted = restricted
  }

  /**
   * The filter with its values, its predicate rewritten. Cost: O(text) for a new text,
   * O(placeholders) for a known one.
   */
  bind(
    dataClass: ClassModel,
    text: string | Condition,
    params: FilterParameters | undefined,
  ): BoundFilter {
    if (typeof text !== 'string') {
      const condition = checkedCondition(dataClass, text, params)
      return this.bind(dataClass, condition.text, condition.params)
    }
    const texts = (this.#texts[dataClass.ordinal] ??= new CompiledTexts(this.#size))
    const compiled = texts.cache.get(text) ?? this.#compiled(texts, dataClass, text)
    const { fixed, range, prepared } = compiled
    if (fixed !== null) {
      // Without placeholders every value is too many.
      if (params !== undefined) prepared.bind(params)
      return fixed
    }
    return range?.bind(params) ?? this.#rewritten(prepared.bind(params))
  }

  #compiled(texts: CompiledTexts, dataClass: ClassModel, text: string): CompiledFilter {
    this.compilations++
    const prepared = prepareFilter(text, dataClass, this.#options)
    const isOpen = prepared.placeholders.length > 0
    const range = isOpen && this.#template !== null ? this.#template(prepared) : null
    const compiled = { prepared, fixed: isOpen ? null : this.#fixed(prepared), range }
    if (texts.once.has(text)) texts.cache.set(text, compiled)
    else {
      if (
        texts.once.size >= this.#size >> 1 ||
        texts.onceCharacters >= (this.#size >> 1) * CHARACTERS_PER_TEXT
      ) {
        texts.once = new Set()
        texts.onceCharacters = 0
      }
      texts.once.add(text)
      texts.onceCharacters += text.length
    }
    return compiled
  }

  #fixed(prepared: PreparedFilter): BoundFilter {
    const { dataClass, text, draft, orderBy } = prepared
    if (draft === null || draft.kind === 'open') return this.#rewritten(prepared.bind())
    return { dataClass, text, predicate: this.#visible(dataClass, draft), orderBy }
  }
  #rewritten(bound: BoundFilter): BoundFilter {
    const { dataClass, text, predicate, orderBy } = bound
    const rewritten = this.#visible(dataClass, predicate)
    return rewritten === predicate ? bound : { dataClass, text, predicate: rewritten, orderBy }
  }
  #visible(dataClass: ClassModel, predicate: Predicate): Predicate {
    return rewrite(
      this.#restricted === undefined ? predicate : this.#restricted(dataClass, predicate),
    )
  }
}

/** A condition has its own values. Throws `argumentInvalid` if the value is not a filter. */
function checkedCondition(dataClass: ClassModel, given: unknown, params: unknown): Condition {
  const condition = given as Partial<Condition> | null | undefined
  const isCondition = typeof condition?.text === 'string' && params === undefined
  if (isCondition && condition.dataClass === dataClass.name) return condition as Condition
  throw refused(
    `A filter of ${dataClass.name}`,
    `text, or a condition on ${dataClass.name} without parameters`,
    isCondition ? `a condition on ${condition.dataClass}` : describeGiven(given),
  )
}

/** Names the capability that reads functions as filters. */
const describeGiven = (given: unknown): string =>
  typeof given === 'function'
    ? 'a function, which query takes in stores with the capability "typedQueries"'
    : describeFound(given)

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
  /** By the rules for texts, and by whether relations may lead to nothing; made when needed. */
  readonly #filters: (FilterCache | undefined)[] = []
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
  }

  /** Of filters outside of transactions. */
  get filtersCompiled(): number {
    return this.#filters[0]?.compilations ?? 0
  }
  /**
   * `mayDangle`: foreign keys may lead to nothing, as inside a transaction; then none stands for
   * its relation. `matching`: the rules of a row filter, whose texts are compared by its own.
   */
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    mayDangle = false,
    matching?: TextMatching,
  ): BoundFilter {
    const at = (mayDangle ? 1 : 0) + (matching === undefined ? 0 : placeOf(matching))
    const filters = (this.#filters[at] ??= this.#createFilters(mayDangle, matching))
    return filters.bind(dataClass, text, params as FilterParameters | undefined)
  }
  #createFilters(mayDangle: boolean, matching: TextMatching | undefined): FilterCache {
    const options = {
      limits: this.limits,
      isVisible: this.sees,
      ...(matching !== undefined && { matching }),
      ...(mayDangle && { isRestricted: () => true }),
    }
    return new FilterCache(options, this.#size, matching === undefined ? this.#template : null)
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

const placeOf = ({ wildcards, isExact }: TextMatching): number =>
  2 + 2 * Number(wildcards) + 4 * Number(isExact)

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
