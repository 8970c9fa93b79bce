import { LRUCache } from 'lru-cache'
import { EntiaError } from '../errors.ts'
import { type PreparedFilter, prepareFilter } from '../filter/bind-filter.ts'
import type { BindOptions } from '../filter/context.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { rewrite } from '../plan/rewrite.ts'

/** A filter text made ready; `fixed` is the whole answer where no placeholder waits for a value. */
interface CompiledFilter {
  readonly prepared: PreparedFilter
  readonly fixed: BoundFilter | null
}

/** Compiled filters by text, for readers who know the same names; the least recently used make room. */
export class FilterCache {
  /** By `ClassModel.ordinal`, each made when first needed. */
  readonly #caches: (LRUCache<string, CompiledFilter> | undefined)[] = []
  readonly #options: BindOptions
  readonly #size: number
  readonly #restricted: ((dataClass: ClassModel, predicate: Predicate) => Predicate) | undefined

  /** `size`: texts kept per dataclass. `restricted`: adds to a bound predicate what limits the reader. */
  constructor(options: BindOptions, size: number, restricted?: (of: ClassModel, predicate: Predicate) => Predicate) {
    this.#options = options
    this.#size = size
    this.#restricted = restricted
  }

  /** The filter with its values, its predicate rewritten. Cost: O(text) for a new text, O(placeholders) for a known one. */
  bind(dataClass: ClassModel, text: string, params: FilterParameters | undefined): BoundFilter {
    if (typeof text !== 'string') {
      throw new EntiaError('argumentInvalid', { argument: 'A filter', expected: 'text', found: typeof text })
    }
    const cache = (this.#caches[dataClass.ordinal] ??= new LRUCache({ max: this.#size }))
    let compiled = cache.get(text)
    if (compiled === undefined) {
      const prepared = prepareFilter(text, dataClass, this.#options)
      compiled = { prepared, fixed: prepared.placeholders.length > 0 ? null : this.#rewritten(prepared.bind()) }
      cache.set(text, compiled)
    }
    return compiled.fixed ?? this.#rewritten(compiled.prepared.bind(params))
  }

  #rewritten({ dataClass, predicate, orderBy }: BoundFilter): BoundFilter {
    const restricted = this.#restricted === undefined ? predicate : this.#restricted(dataClass, predicate)
    return { dataClass, predicate: rewrite(restricted), orderBy }
  }
}
