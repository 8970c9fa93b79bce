import { askedWords } from './folding.ts'
import type { ValueType } from './schema.ts'
import { all, any, bound, raw, type Sql, sql } from './sql.ts'
import type { ComparedValue, Literal, Operator } from './tree.ts'
import { keyOf } from './values.ts'

/** A column of a row: its key, and its words if it is a text. */
export interface Compared {
  readonly key: Sql
  readonly words: Sql
  readonly type: ValueType
}

/** One comparison of one value, 0 or 1. */
export function scalarTest(column: Compared, operator: Operator, value: ComparedValue): Sql {
  const { key } = column
  const isNegative = operator === 'notEqual' || operator === 'notIdentical'
  switch (value.kind) {
    case 'null':
      return isNegative ? sql`(${key} IS NOT NULL)` : sql`(${key} IS NULL)`
    case 'alone':
      return sql`(${key} IS 1)`
    case 'list': {
      const equal = value.literals.map((literal) => equality(column, literal, true))
      return sql`(${key} IS NOT NULL AND ${any(equal)})`
    }
    case 'one':
      return isNegative
        ? sql`(${key} IS NOT NULL AND NOT ${equality(column, value.literal, operator === 'notEqual')})`
        : positive(column, operator, value.literal)
  }
}

function positive(column: Compared, operator: Operator, literal: Literal): Sql {
  const { key, type } = column
  const { value } = literal.asked
  switch (operator) {
    case 'equal':
    case 'identical':
      return equality(column, literal, operator === 'equal')
    case 'begin':
      return beginsWith(key, isText(type) ? textKey(type, String(value)) : String(value))
    case 'end':
      return endsWith(key, isText(type) ? textKey(type, String(value)) : String(value))
    case 'keyword':
      return holdsWords(column.words, String(value), type === 'exactText')
    default:
      return sql`(${key} IS NOT NULL AND ${key} ${raw(COMPARISONS[operator] ?? '')} ${bound(keyOf(type, value))})`
  }
}

export const COMPARISONS: { readonly [O in Operator]?: string } = {
  greater: '>',
  greaterEqual: '>=',
  less: '<',
  lessEqual: '<=',
}

const isText = (type: ValueType): type is 'text' | 'exactText' | 'uuid' =>
  type === 'text' || type === 'exactText' || type === 'uuid'

const textKey = (type: 'text' | 'exactText' | 'uuid', text: string): string =>
  String(keyOf(type, text))

function equality({ key, type }: Compared, { asked }: Literal, knowsWildcards: boolean): Sql {
  const { value } = asked
  if (knowsWildcards && typeof value === 'string' && hasWildcard(value)) {
    // Values of these types are not texts, so only the lone wildcard can occur beside them.
    if (!isText(type)) return sql`(${key} IS NOT NULL)`
    return fits(key, textKey(type, value))
  }
  return sql`(${key} IS ${bound(keyOf(type, value))})`
}

export const hasWildcard = (text: string): boolean => text.includes('@') || text.includes('*')

/**
 * GLOB treats `*`, `?` and brackets as special; `?` and `[` are plain here, each in its own set.
 */
export function fits(key: Sql, pattern: string): Sql {
  const glob = Array.from(pattern, (c) =>
    c === '@' || c === '*' ? '*' : c === '?' || c === '[' ? `[${c}]` : c,
  ).join('')
  return sql`(${key} IS NOT NULL AND ${key} GLOB ${bound(glob)})`
}

/** `substr` and `length` count characters; LIKE would fold ASCII, and GLOB needs escapes. */
export function beginsWith(key: Sql, start: string): Sql {
  return sql`(${key} IS NOT NULL AND substr(${key}, 1, length(${bound(start)})) = ${bound(start)})`
}

/** An end of no characters is the end of every text; `substr(x, -0)` would be the whole text. */
export function endsWith(key: Sql, end: string): Sql {
  if (end === '') return sql`(${key} IS NOT NULL)`
  return sql`(${key} IS NOT NULL AND substr(${key}, -length(${bound(end)})) = ${bound(end)})`
}

/**
 * Words are separated by spaces, so that a word is ` word ` and a prefix ` word`. A search without
 * words selects nothing.
 */
export function holdsWords(words: Sql, asked: string, isExact = false): Sql {
  const found = askedWords(asked, isExact)
  if (found.length === 0) return raw('0')
  return all([
    sql`${words} IS NOT NULL`,
    ...found.map(
      ({ word, isBeginning }) =>
        sql`instr(${words}, ${bound(isBeginning ? ` ${word}` : ` ${word} `)}) > 0`,
    ),
  ])
}
