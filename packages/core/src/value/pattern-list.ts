import { type Wildcard, wildcardHead, wildcardTail } from './wildcard.ts'

/** Patterns with one beginning are tried one by one where they are so few. */
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
  /** In the order of their heads; where those of each head begin, and the end. */
  readonly #patterns: readonly Wildcard[]
  readonly #starts: readonly number[]
  /** By head, where it has many patterns. */
  readonly #byTail = new Map<number, TailedPatterns>()

  constructor(wildcards: readonly Wildcard[]) {
    this.#patterns = wildcards.slice().sort(byHead)
    const heads: string[] = []
    const starts: number[] = []
    for (let i = 0; i < this.#patterns.length; i++) {
      const head = wildcardHead(this.#patterns[i])
      if (heads.length > 0 && head === heads[heads.length - 1]) continue
      heads.push(head)
      starts.push(i)
    }
    starts.push(this.#patterns.length)
    this.heads = heads
    this.#starts = starts
    this.#shorter = new Int32Array(heads.length)
    for (let i = 0; i < heads.length; i++) {
      this.#shorter[i] = this.#headOf(heads[i], i - 1)
      if (starts[i + 1] - starts[i] > FEW)
        this.#byTail.set(i, new TailedPatterns(this.#patterns.slice(starts[i], starts[i + 1])))
    }
  }

  /** Whether `test` says yes to one of the patterns that a text with this comparison key may fit. Every one that it fits is among them. */
  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    // Texts that begin alike stand together: the last head before the text begins with all of its heads.
    let at = this.#headOf(key, this.#lastUpTo(key))
    for (; at >= 0; at = this.#shorter[at]) if (this.#someOf(at, key, test)) return true
    return false
  }

  #someOf(head: number, key: string, test: (wildcard: Wildcard) => boolean): boolean {
    const end = this.#starts[head + 1]
    if (end - this.#starts[head] > FEW) return (this.#byTail.get(head) as TailedPatterns).some(key, test)
    for (let i = this.#starts[head]; i < end; i++) if (test(this.#patterns[i])) return true
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

function byHead(a: Wildcard, b: Wildcard): number {
  const left = wildcardHead(a)
  const right = wildcardHead(b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** Patterns by what stands behind their last wildcard. */
class TailedPatterns {
  readonly #byTail = new Map<string, Wildcard[]>()
  readonly #lengths: readonly number[]

  constructor(patterns: readonly Wildcard[]) {
    for (const wildcard of patterns) {
      const tail = wildcardTail(wildcard)
      const group = this.#byTail.get(tail)
      if (group === undefined) this.#byTail.set(tail, [wildcard])
      else group.push(wildcard)
    }
    this.#lengths = [...new Set(Array.from(this.#byTail.keys(), (tail) => tail.length))].sort((a, b) => a - b)
  }

  some(key: string, test: (wildcard: Wildcard) => boolean): boolean {
    for (const length of this.#lengths) {
      if (length > key.length) return false
      if (this.#byTail.get(key.slice(key.length - length))?.some(test) === true) return true
    }
    return false
  }
}

const LISTS = new WeakMap<readonly Wildcard[], PatternList>()

/** The patterns of a test, which never change: arranged when it is first planned or run. */
export function patternList(wildcards: readonly Wildcard[]): PatternList {
  let list = LISTS.get(wildcards)
  if (list === undefined) LISTS.set(wildcards, (list = new PatternList(wildcards)))
  return list
}
