import { EntiaError } from '../errors.ts'
import { type PreparedFilter, prepareFilter } from '../filter/bind-filter.ts'
import type { BindOptions } from '../filter/context.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { type RangeTemplate, rangeTemplate } from '../plan/range-filter.ts'
import { rewrite } from '../plan/rewrite.ts'

/** A filter text made ready. */
interface CompiledFilter {
  readonly prepared: PreparedFilter
  /** The whole answer where no placeholder waits for a value. */
  readonly fixed: BoundFilter | null
  /** What reads values straight into the bounds of a range, where the filter is one. */
  readonly range: RangeTemplate | null
}

/** The compiled filters of one dataclass. */
class CompiledTexts {
  /** Texts that were asked for once: what is never asked for again need not be kept. */
  once = new Set<string>()
  /** Used lately, and before that: when the first is full it becomes the second, and what is not asked for again is gone. */
  recent = new Map<string, CompiledFilter>()
  older = new Map<string, CompiledFilter>()
  /** Of the texts of `once`, and of those of `recent`. */
  onceCharacters = 0
  recentCharacters = 0
}

/** What a text may take of the room for its set: long ones make others go sooner. */
const CHARACTERS_PER_TEXT = 256

/** Compiled filters by text, for readers who know the same names. A text is kept when it is asked for a second time. */
export class FilterCache {
  /** Texts that had to be compiled, since they were not kept. */
  compilations = 0
  /** By `ClassModel.ordinal`, each made when first needed. */
  readonly #texts: (CompiledTexts | undefined)[] = []
  readonly #options: BindOptions
  /** Of each of the sets of texts of a dataclass. */
  readonly #size: number
  readonly #characters: number
  readonly #restricted: ((dataClass: ClassModel, predicate: Predicate) => Predicate) | undefined

  /** `size`: texts kept per dataclass, at most. `restricted`: adds to a bound predicate what limits the reader. */
  constructor(options: BindOptions, size: number, restricted?: (of: ClassModel, predicate: Predicate) => Predicate) {
    this.#options = options
    this.#size = Math.max(1, size >> 1)
    this.#characters = this.#size * CHARACTERS_PER_TEXT
    this.#restricted = restricted
  }

  /** The filter with its values, its predicate rewritten. Cost: O(text) for a new text, O(placeholders) for a known one. */
  bind(dataClass: ClassModel, text: string, params: FilterParameters | undefined): BoundFilter {
    const texts = (this.#texts[dataClass.ordinal] ??= new CompiledTexts())
    const compiled = texts.recent.get(text) ?? this.#compiled(texts, dataClass, text)
    const { fixed, range, prepared } = compiled
    if (fixed !== null) return fixed
    return range?.bind(params) ?? this.#rewritten(prepared.bind(params))
  }

  #compiled(texts: CompiledTexts, dataClass: ClassModel, text: string): CompiledFilter {
    if (typeof text !== 'string') {
      throw new EntiaError('argumentInvalid', { argument: 'A filter', expected: 'text', found: typeof text })
    }
    let compiled = texts.older.get(text)
    if (compiled === undefined) {
      this.compilations++
      const prepared = prepareFilter(text, dataClass, this.#options)
      const isOpen = prepared.placeholders.length > 0
      const range = isOpen && this.#restricted === undefined ? rangeTemplate(prepared) : null
      compiled = { prepared, fixed: isOpen ? null : this.#fixed(prepared), range }
      if (!texts.once.has(text)) {
        if (texts.once.size >= this.#size || texts.onceCharacters >= this.#characters) {
          texts.once = new Set()
          texts.onceCharacters = 0
        }
        texts.once.add(text)
        texts.onceCharacters += text.length
        return compiled
      }
    }
    if (texts.recent.size >= this.#size || texts.recentCharacters >= this.#characters) {
      texts.older = texts.recent
      texts.recent = new Map()
      texts.recentCharacters = 0
    }
    texts.recent.set(text, compiled)
    texts.recentCharacters += text.length
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
    return rewrite(this.#restricted === undefined ? predicate : this.#restricted(dataClass, predicate))
  }
}
