import type { FilterLimits } from './filter-errors.ts'
import { type Operator, takesList } from './operators.ts'
import {
  bareScalar,
  type ConditionSyntax,
  findComparator,
  isReserved,
  type PathSyntax,
  placeholder,
  type ScalarSyntax,
  type StepSyntax,
} from './syntax.ts'

// The kinds of the ASCII characters. Every other character may be part of names and values.
const BLANK = 1
const SIGN = 2
const NAME = 4
const BARE = 8

const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit)
  if (' \t\r\n'.includes(character)) return BLANK
  if ('<>=#%!'.includes(character)) return SIGN
  if ('()&^|\\'.includes(character)) return 0
  return '.,:;\'"`[]{}'.includes(character) ? BARE : BARE | NAME
})

/**
 * Reads the simplest filters, `path comparator value` joined by `and`, without the generated
 * parser, which takes ten times as long. Returns the same tree as the grammar, or null for every
 * other text. The caller then uses the grammar, which may refuse the text. Cost: O(text). Throws
 * nothing.
 */
export function readConjunction(text: string, limits: FilterLimits): ConditionSyntax | null {
  return new ConjunctionReader(text, limits).read()
}

class ConjunctionReader {
  readonly text: string
  readonly limits: FilterLimits
  at = 0

  constructor(text: string, limits: FilterLimits) {
    this.text = text
    this.limits = limits
  }

  read(): ConditionSyntax | null {
    const { text } = this
    let parts: ConditionSyntax[] | null = null
    let first: ConditionSyntax | null = null
    this.skip(BLANK)
    for (;;) {
      const part = this.readComparison()
      if (part === null) return null
      if (first === null) first = part
      else if (parts === null) parts = [first, part]
      else parts.push(part)
      const end = this.at
      this.skip(BLANK)
      if (this.at === text.length) return parts === null ? first : { kind: 'and', parts }
      if (this.at === end || !this.readWord('and')) return null
      if (!this.skip(BLANK)) return null
    }
  }

  private readComparison(): ConditionSyntax | null {
    const path = this.readPath()
    if (path === null) return null
    this.skip(BLANK)
    const operator = this.readComparator()
    if (operator === undefined || takesList(operator)) return null
    this.skip(BLANK)
    const value = this.readValue()
    return value === null ? null : { kind: 'comparison', path, operator, value }
  }

  private readPath(): PathSyntax | null {
    const head = this.readStep()
    if (head === null || isReserved(head.name)) return null
    const steps = [head]
    while (this.text.charCodeAt(this.at) === DOT) {
      this.at++
      const step = this.readStep()
      if (step === null) return null
      steps.push(step)
    }
    const isPlain = steps.length === 1 || steps.length <= this.limits.maxPathSegments
    return isPlain ? { kind: 'path', steps, at: head.at } : null
  }

  private readStep(): StepSyntax | null {
    const { at } = this
    return this.skip(NAME)
      ? { name: this.text.slice(at, this.at), instance: 1, element: null, at }
      : null
  }

  private readComparator(): Operator | undefined {
    const { text, at } = this
    if (!this.skip(SIGN) && !this.skip(NAME)) return undefined
    const operator = signComparator(text, at, this.at) ?? findComparator(text.slice(at, this.at))
    const end = this.at
    this.skip(BLANK)
    // "= not" is one comparator.
    if (this.readWord('not')) return undefined
    this.at = end
    return operator
  }

  private readValue(): ScalarSyntax | null {
    const { text, at } = this
    const first = text.charCodeAt(at)
    if (first === SINGLE_QUOTE || first === DOUBLE_QUOTE) return this.readQuoted(first)
    if (first === COLON) return this.readPlaceholder()
    if (first === BRACKET || !this.skip(BARE)) return null
    const bare = text.slice(at, this.at)
    return isReserved(bare) ? null : bareScalar(bare, at)
  }

  private readQuoted(quote: number): ScalarSyntax | null {
    const { text, at } = this
    for (let end = at + 1; end < text.length; end++) {
      const unit = text.charCodeAt(end)
      if (unit === BACKSLASH) return null
      if (unit === quote) {
        this.at = end + 1
        return { kind: 'quoted', text: text.slice(at + 1, end), at }
      }
    }
    return null
  }

  private readPlaceholder(): ScalarSyntax | null {
    const { text, at } = this
    do {
      this.at++
      if (!this.skip(NAME)) return null
    } while (text.charCodeAt(this.at) === DOT)
    return placeholder(text.slice(at + 1, this.at), at)
  }

  /** Moves over a run of characters of one kind; false when there is none. */
  private skip(kind: number): boolean {
    const { text } = this
    const start = this.at
    let at = start
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 127 ? kind < NAME : (KINDS[unit] & kind) === 0) break
    }
    this.at = at
    return at > start
  }

  /** Moves over a word of small or capital letters that no character of a name follows. */
  private readWord(word: 'and' | 'not'): boolean {
    const { text, at } = this
    for (let i = 0; i < word.length; i++)
      if ((text.charCodeAt(at + i) | 32) !== word.charCodeAt(i)) return false
    const next = text.charCodeAt(at + word.length)
    if (next > 127 || (KINDS[next] & NAME) !== 0) return false
    this.at = at + word.length
    return true
  }
}

/**
 * The comparators of one sign, or a sign and `=`, which are the most frequent. Undefined for all
 * others, which the table has.
 */
function signComparator(text: string, at: number, end: number): Operator | undefined {
  if (end - at > 2 || (end - at === 2 && text.charCodeAt(at + 1) !== EQUALS)) return undefined
  const isAlone = end - at === 1
  switch (text.charCodeAt(at)) {
    case EQUALS:
      return 'equal'
    case LESS:
      return isAlone ? 'less' : 'lessEqual'
    case GREATER:
      return isAlone ? 'greater' : 'greaterEqual'
    case EXCLAMATION:
      return isAlone ? undefined : 'notEqual'
    default:
      return undefined
  }
}

const EXCLAMATION = 33
const LESS = 60
const EQUALS = 61
const GREATER = 62
const DOT = 46
const SINGLE_QUOTE = 39
const DOUBLE_QUOTE = 34
const COLON = 58
const BRACKET = 91
const BACKSLASH = 92
