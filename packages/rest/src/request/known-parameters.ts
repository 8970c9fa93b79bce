import type { Limits } from './limits.ts'
import { type Parameters, parseParameters } from './parameters.ts'

/** The most query strings that are cached, and the length of each. */
const MAX_KNOWN = 256
const MAX_KNOWN_CHARACTERS = 1024

/**
 * Caches the parameters of recent query strings, since clients repeat them. Cached values cannot
 * change: they are texts, numbers and lists that nothing writes to.
 */
export class KnownParameters {
  readonly #limits: Limits
  readonly #byQuery = new Map<string, Parameters>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Throws what `parseParameters` throws. Cost: one lookup for a known query. */
  of(query: string): Parameters {
    const known = this.#byQuery.get(query)
    if (known !== undefined) return known
    const parameters = parseParameters(query, this.#limits)
    // The values of `$params` are passed to functions of the application, which could change them.
    if (query.length <= MAX_KNOWN_CHARACTERS && parameters.params === null) {
      if (this.#byQuery.size >= MAX_KNOWN) this.#byQuery.clear()
      this.#byQuery.set(query, parameters)
    }
    return parameters
  }
}
