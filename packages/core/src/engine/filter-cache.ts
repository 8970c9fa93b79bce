import { LRUCache } from 'lru-cache'
import { EntiaError } from '../errors.ts'
import { type PreparedFilter, prepareFilter } from '../filter/bind-filter.ts'
import type { BindOptions } from '../filter/context.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { isVisible } from '../model/path.ts'
import { rewrite } from '../plan/rewrite.ts'

/** Filter texts kept per dataclass, and per view of it. */
const CACHE_SIZE = 500

/** A filter text made ready; `fixed` is the whole answer where no placeholder waits for a value. */
interface CompiledFilter {
  readonly prepared: PreparedFilter
  readonly fixed: BoundFilter | null
}

/** Compiled filters by text; the least recently used make room. */
export class FilterCache {
  /** By `ClassModel.ordinal`: with every attribute, and with the exposed ones only. */
  readonly #all: readonly LRUCache<string, CompiledFilter>[]
  readonly #exposed: readonly LRUCache<string, CompiledFilter>[]
  readonly #bindAll: BindOptions
  readonly #bindExposed: BindOptions

  constructor(dataClasses: number, limits: FilterLimits) {
    const caches = (): LRUCache<string, CompiledFilter>[] =>
      Array.from({ length: dataClasses }, () => new LRUCache({ max: CACHE_SIZE }))
    this.#all = caches()
    this.#exposed = caches()
    this.#bindAll = { limits }
    this.#bindExposed = { limits, isVisible }
  }

  /** The filter with its values, its predicate rewritten. Cost: O(text) for a new text, O(placeholders) for a known one. */
  bind(dataClass: ClassModel, text: string, params: FilterParameters | undefined, exposedOnly: boolean): BoundFilter {
    if (typeof text !== 'string') {
      throw new EntiaError('argumentInvalid', { argument: 'A filter', expected: 'text', found: typeof text })
    }
    const cache = (exposedOnly ? this.#exposed : this.#all)[dataClass.ordinal]
    let compiled = cache.get(text)
    if (compiled === undefined) {
      const prepared = prepareFilter(text, dataClass, exposedOnly ? this.#bindExposed : this.#bindAll)
      compiled = { prepared, fixed: prepared.placeholders.length > 0 ? null : rewritten(prepared.bind()) }
      cache.set(text, compiled)
    }
    return compiled.fixed ?? rewritten(compiled.prepared.bind(params))
  }
}

const rewritten = ({ dataClass, predicate, orderBy }: BoundFilter): BoundFilter => ({
  dataClass,
  predicate: rewrite(predicate),
  orderBy,
})
