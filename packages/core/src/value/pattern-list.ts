import { type Wildcard, wildcardHead, wildcardTail } from './wildcard.ts'

/** A group of so many patterns is tried one by one. */
const FEW = 4

/**
 * Many patterns, arranged by what stands before their first wildcard and behind their last one, so that a text is compared with those only
 * whose ends it has. Cost of making it: a sort; of a text: a binary search, and a look-up for each length that the ends have.
 */
export class PatternList {
  /** What stands before the first wildcard of a pattern, each once, ascending; the first is empty where some pattern begins with one. */
  readonly heads: readonly string[]
  /** By head: the longest other head that it begins with, or -1. */
  readonly #shorter: Int32Array
  /** By head. */
  readonly #groups: readonly PatternGroup[]

  constructor(wildcards: readonly Wildcard[]) {
    const byHead = new Map<string, Wildcard[]>()
    for (const wildcard of wildcards) addTo(byHead, wildcardHead(wildcard), wildcard)
    this.heads = [...byHead.keys()].sort()
    this.#groups = this.heads.map((head) => new PatternGroup(byHead.get(head) as Wildcard[]))
    this.#shorter = new Int32Array(this.heads.length)
    for (let i = 0; i < this.heads.length; i++) this.#shorter[i] = this.#headOf(this.heads[i], i - 1)
  }

  /** Whether `test` says yes to one of the patterns that a text with this comparison key may fit. Every one that it fits is among them. */
  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    // Texts that begin alike stand together: the last head before the text begins with all of its heads.
    let at = this.#headOf(key, this.#lastUpTo(key))
    for (; at >= 0; at = this.#shorter[at]) if (this.#groups[at].some(key, test)) return true
    return false
  }

  /** The longest head that a text begins with, of that at a place and those that it begins with; -1 for none. */
  #headOf(key: string, at: number): number {
    while (at >= 0 && !key.startsWith(this.heads[at])) at = this.#shorter[at]
    return at
  }

  #lastUpTo(key: string): number {
    const { heads } = this
    let low = 0
    let high = heads.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (heads[middle] <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Patterns with the same head. */
class PatternGroup {
  readonly #patterns: readonly Wildcard[]
  /** By what stands behind the last wildcard; null where there are few. */
  readonly #byTail: ReadonlyMap<string, readonly Wildcard[]> | null = null
  readonly #tailLengths: readonly number[] = []

  constructor(patterns: readonly Wildcard[]) {
    this.#patterns = patterns
    if (patterns.length <= FEW) return
    const byTail = new Map<string, Wildcard[]>()
    for (const wildcard of patterns) addTo(byTail, wildcardTail(wildcard), wildcard)
    this.#byTail = byTail
    this.#tailLengths = [...new Set(Array.from(byTail.keys(), (tail) => tail.length))].sort((a, b) => a - b)
  }

  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    if (this.#byTail === null) return this.#patterns.some(test)
    for (const length of this.#tailLengths) {
      if (length > key.length) return false
      if (this.#byTail.get(key.slice(key.length - length))?.some(test) === true) return true
    }
    return false
  }
}

function addTo(groups: Map<string, Wildcard[]>, name: string, wildcard: Wildcard): void {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, [wildcard])
  else group.push(wildcard)
}

const LISTS = new WeakMap<readonly Wildcard[], PatternList>()

/** The patterns of a test, which never change: arranged when it is first planned or run. */
export function patternList(wildcards: readonly Wildcard[]): PatternList {
  let list = LISTS.get(wildcards)
  if (list === undefined) LISTS.set(wildcards, (list = new PatternList(wildcards)))
  return list
}
