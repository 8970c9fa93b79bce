import type { Limits } from './limits.ts'
import { type Parameters, parseParameters } from './parameters.ts'

/** Query strings that are kept, and how long each may be. */
const MAX_KNOWN = 256
const MAX_KNOWN_CHARACTERS = 1024

/**
 * Parameters of the query strings that were read last: clients ask for one entity after the other with the same ones, and repeat
 * their queries. Nothing can change what is kept: it holds texts, numbers and lists that nobody writes to.
 */
export class KnownParameters {
  readonly #limits: Limits
  readonly #byQuery = new Map<string, Parameters>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Throws what `parseParameters` throws. Cost: a look-up for a query that is known. */
  of(query: string): Parameters {
    const known = this.#byQuery.get(query)
    if (known !== undefined) return known
    const parameters = parseParameters(query, this.#limits)
    // The values of `$params` are handed to functions of the application.
    if (query.length <= MAX_KNOWN_CHARACTERS && parameters.params === null) {
      if (this.#byQuery.size >= MAX_KNOWN) this.#byQuery.clear()
      this.#byQuery.set(query, parameters)
    }
    return parameters
  }
}
