import { type Condition, where } from '@entia/core/query'
import type { IR } from '@tanstack/db'

/** How the values of a path look in a row, as far as conditions can be sent about them. */
export type ValueForm = 'number' | 'bool' | 'text' | 'uuid' | 'day' | 'moment' | 'reference'
/** A path of the filter language, and the form of its values. */
export type Term = readonly [path: string, form: ValueForm]
/** What the paths of rows are in the filter language: `employer.key` is `employer.__KEY`. */
export type Terms = ReadonlyMap<string, Term>

type Expression = IR.BasicExpression
type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte'

/** Conditions of one dataclass. */
export type Conditions = ReturnType<typeof where>
export const conditionsOf = (name: string): Conditions => where({ name })

/** More keys would make the address of a request too long. */
const LONGEST_LIST = 200
const FLIPPED = { eq: 'eq', gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte' } as const
const INVERSE = { eq: '!==', gt: '<=', gte: '<', lt: '>=', lte: '>' } as const
const OPERATOR = { eq: '===', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * The condition of all entities for which an expression of TanStack DB can be true, and of more:
 * what the filter language compares in another way is left out. TanStack DB tests the expression on
 * the rows, so more entities cost time, and fewer would be missed.
 */
export class Filter {
  readonly #where: Conditions
  readonly #terms: Terms

  constructor(conditions: Conditions, terms: Terms) {
    this.#where = conditions
    this.#terms = terms
  }

  /** With `isNegated`, of the entities for which the expression can be false. */
  of(expression: Expression | undefined, isNegated = false): Condition {
    if (expression === undefined) return this.#everything
    if (expression.type === 'val')
      return (expression.value === true) === isNegated ? this.#nothing : this.#everything
    if (expression.type === 'ref') {
      const term = this.term(expression)
      return term?.[1] === 'bool' ? this.#where(term[0], '===', !isNegated) : this.#everything
    }
    const { name, args } = expression
    switch (name) {
      case 'not':
        return this.of(args[0], !isNegated)
      case 'and':
      case 'or': {
        const parts = args.map((each) => this.of(each, isNegated))
        return (name === 'and') === isNegated ? this.#where.or(...parts) : this.#where.and(...parts)
      }
      case 'isNull': {
        const term = this.term(args[0])
        return term === null
          ? this.#everything
          : this.#where(term[0], isNegated ? '!==' : '===', null)
      }
      case 'eq':
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return this.#compared(name, args, isNegated)
      case 'in':
        return this.#listed(args, isNegated)
      case 'like':
      case 'ilike':
        return isNegated ? this.#everything : this.#begun(args)
      default:
        return this.#everything
    }
  }

  /** Null for what the filter language cannot name. */
  term(expression: Expression | undefined): Term | null {
    return expression?.type === 'ref' ? (this.#terms.get(expression.path.join('.')) ?? null) : null
  }

  #compared(name: Comparison, args: readonly Expression[], isNegated: boolean): Condition {
    const [left, right] = args
    if (left?.type === 'val' && right?.type === 'ref')
      return this.#compared(FLIPPED[name], [right, left], isNegated)
    const term = this.term(left)
    if (term === null || right?.type !== 'val') return this.#everything
    const [path, form] = term
    const { value } = right
    // A comparison with null is neither true nor false.
    if (value === null || value === undefined) return this.#nothing
    if (form === 'text')
      // A folded comparison finds more texts than the exact one, and its opposite fewer.
      return name === 'eq' && !isNegated && typeof value === 'string'
        ? this.#where(path, '===', value)
        : this.#everything
    // No row has it. An address may bring any text as a key.
    if (form === 'uuid' && name === 'eq' && !isNegated && !isComparable(value, form, name))
      return this.#nothing
    if (!isComparable(value, form, name)) return this.#everything
    return this.#where(path, isNegated ? INVERSE[name] : OPERATOR[name], value)
  }

  #listed([left, right]: readonly Expression[], isNegated: boolean): Condition {
    const term = this.term(left)
    if (term === null || right?.type !== 'val' || !Array.isArray(right.value))
      return this.#everything
    const [path, form] = term
    const values = right.value.filter((each) => each !== null && each !== undefined)
    const isSent =
      values.length <= LONGEST_LIST &&
      (form === 'text'
        ? !isNegated && values.every((each) => typeof each === 'string')
        : values.every((each) => isComparable(each, form, 'eq')))
    if (!isSent) return this.#everything
    if (values.length === 0) return isNegated ? this.#everything : this.#nothing
    const listed = this.#where(path, 'in', values)
    return isNegated ? listed.not() : listed
  }

  /** The texts that begin with the part of the pattern before its first wildcard. */
  #begun([left, right]: readonly Expression[]): Condition {
    const term = this.term(left)
    if (term?.[1] !== 'text' || right?.type !== 'val' || typeof right.value !== 'string')
      return this.#everything
    const [begin = ''] = right.value.split(/[%_\\]/, 1)
    return begin === '' ? this.#everything : this.#where(term[0], 'begin', begin)
  }

  get #everything(): Condition {
    return this.#where.and()
  }
  get #nothing(): Condition {
    return this.#where.or()
  }
}

/** True if rows and the server compare the value in the same way. */
function isComparable(value: unknown, form: ValueForm, name: Comparison): boolean {
  switch (form) {
    case 'number':
      return Number.isFinite(value)
    case 'bool':
      return typeof value === 'boolean' && name === 'eq'
    case 'uuid':
      return typeof value === 'string' && UUID.test(value) && name === 'eq'
    case 'day':
      return typeof value === 'string' && DAY.test(value) && isoOf(value)?.slice(0, 10) === value
    case 'moment':
      return typeof value === 'string' && isoOf(value) === value
    case 'text':
    case 'reference':
      return false
  }
}

const UUID = /^[0-9A-F]{32}$/
const DAY = /^\d{4}-\d\d-\d\d$/

/** The instant as rows have it: texts of this form have the order of their instants. */
function isoOf(text: string): string | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
