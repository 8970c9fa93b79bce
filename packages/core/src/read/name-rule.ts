import { LRUCache } from 'lru-cache'
import type { Database } from '../execute/database.ts'
import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, OrderBy } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { everything, type ResolvedPath, resolvePath, type Sees } from '../model/path.ts'
import type { TextForm } from '../model/text-form.ts'
import { compileProjection, type Projection } from '../projection/projection.ts'
import type { RecordTexts } from '../projection/record-texts.ts'
import { compileTextForm } from '../projection/text-form.ts'
import { FilterCache } from './filter-cache.ts'

/** Texts kept compiled, per dataclass and kind. */
const CACHE_SIZE = 500
/** What a text may take of the room for its kind: long ones make others go sooner. */
const CHARACTERS_PER_TEXT = 256

/** Reads the texts that name attributes, for readers who know the same ones. To such a reader other names are unknown. */
export class NameRule {
  readonly sees: Sees
  readonly #limits: FilterLimits
  readonly #size: number
  readonly #filters: FilterCache
  /** For data whose relations may lead to nothing; made when first needed. */
  #openFilters: FilterCache | null = null
  /** By `ClassModel.ordinal`, like the next. */
  readonly #orders: (LRUCache<string, OrderBy> | undefined)[] = []
  readonly #projections: (
    | LRUCache<string, { readonly layouts: number; readonly projection: Projection }>
    | undefined
  )[] = []

  readonly #textForms: (WeakMap<TextForm, { readonly layouts: number; readonly texts: RecordTexts }> | undefined)[] = []

  constructor(limits: FilterLimits, sees: Sees = everything, size = CACHE_SIZE) {
    this.sees = sees
    this.#limits = limits
    this.#size = size
    this.#filters = new FilterCache({ limits, isVisible: sees }, size)
  }

  get filtersCompiled(): number {
    return this.#filters.compilations
  }
  /** `mayDangle`: foreign keys may lead to nothing, as inside a transaction; then none stands for its relation. */
  bindFilter(dataClass: ClassModel, text: string, params: unknown, mayDangle = false): BoundFilter {
    const filters = mayDangle ? this.#open : this.#filters
    return filters.bind(dataClass, text, params as FilterParameters | undefined)
  }
  get #open(): FilterCache {
    const options = { limits: this.#limits, isVisible: this.sees, isRestricted: () => true }
    return (this.#openFilters ??= new FilterCache(options, this.#size))
  }
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy {
    const cache = (this.#orders[dataClass.ordinal] ??= this.#cache())
    let orderBy = cache.get(text)
    if (orderBy === undefined) {
      orderBy = bindOrderBy(text, dataClass, { limits: this.#limits, isVisible: this.sees })
      cache.set(text, orderBy)
    }
    return orderBy
  }
  #cache<V extends object>(): LRUCache<string, V> {
    return new LRUCache({
      max: this.#size,
      maxSize: this.#size * CHARACTERS_PER_TEXT,
      sizeCalculation: (_value, text) => text.length + 1,
    })
  }
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath {
    return resolvePath(dataClass, text, this.sees)
  }
  /** `layouts` changes when a column that was compiled for is replaced. */
  projection(database: Database, dataClass: ClassModel, text: string, layouts: number): Projection {
    const cache = (this.#projections[dataClass.ordinal] ??= this.#cache())
    let entry = cache.get(text)
    if (entry === undefined || entry.layouts !== layouts) {
      entry = { layouts, projection: compileProjection(database, dataClass, text, this.sees) }
      cache.set(text, entry)
    }
    return entry.projection
  }
  /** As `projection`; a form is known by its identity. */
  textForm(database: Database, dataClass: ClassModel, form: TextForm, layouts: number): RecordTexts {
    const cache = (this.#textForms[dataClass.ordinal] ??= new WeakMap())
    let entry = cache.get(form)
    if (entry === undefined || entry.layouts !== layouts) {
      entry = { layouts, texts: compileTextForm(database, dataClass, form, this.sees) }
      cache.set(form, entry)
    }
    return entry.texts
  }
}
