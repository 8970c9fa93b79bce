import {
  type ExactTest,
  type Scalar,
  TESTS,
  type Test,
  textOfKey,
  type Wildcard,
} from '@entia/core/internal'
import type { SqlValue } from '../connect/port.ts'
import type { SqlColumn } from '../schema/sql-model.ts'
import { LONG_TEXT, wordBreakPattern, wordQuery } from '../schema/word-index.ts'
import { joined, type Sql, type SqlName, sql } from '../sql-builder/sql.ts'
import { PLANNED_BY_VALUES } from '../sql-builder/statement.ts'
import { fitTest } from './clamp-to-column.ts'
import { likePattern, textAfter } from './text-patterns.ts'

/** A column in a statement: as it is stored, and what comparisons read. */
export interface ComparedColumn {
  readonly kind: SqlColumn['kind']
  readonly stored: Sql
  readonly key: Sql
  /** The function of its index of words; null without one. */
  readonly wordsFunction: SqlName | null
}

/** A test of a column that is false for no other reason than null, or its exact negation. */
export function columnTest(column: ComparedColumn, test: Test, isNegated: boolean): Sql {
  const { key, stored } = column
  const fitted = fitTest(column.kind, test)
  if (typeof fitted === 'boolean') return known(stored, fitted, isNegated)
  switch (fitted.op) {
    case 'isNull':
      return isNegated ? sql`${stored} IS NOT NULL` : sql`${stored} IS NULL`
    case 'isNotNull':
      return isNegated ? sql`${stored} IS NULL` : sql`${stored} IS NOT NULL`
    case 'equal': {
      const value = boundValue(fitted.value)
      return isNegated ? sql`${key} IS DISTINCT FROM ${value}` : sql`${key} = ${value}`
    }
    case 'notEqual': {
      const value = boundValue(fitted.value)
      return isNegated ? sql`(${stored} IS NULL OR ${key} = ${value})` : sql`${key} <> ${value}`
    }
    case 'less':
    case 'lessEqual':
    case 'greater':
    case 'greaterEqual': {
      const value = boundValue(fitted.value)
      return isNegated
        ? sql`(${stored} IS NULL OR ${key} ${OPERATORS[TESTS[fitted.op].complement]} ${value})`
        : sql`${key} ${OPERATORS[fitted.op]} ${value}`
    }
    case 'exact':
      return withNegation(exactTest(column, fitted), isNegated)
    case 'notExact':
      return withNegation(sql`NOT (${exactTest(column, fitted)})`, isNegated)
    case 'keyword': {
      const { wordsFunction } = column
      const test = keywords(key, fitted)
      const found = wordsFunction === null ? test : indexedWords(key, wordsFunction, fitted, test)
      return withNegation(found, isNegated)
    }
    default:
      return withNegation(textTest(key, fitted), isNegated)
  }
}

/** The key finds the rows, by its index; the stored text decides. Null for null. */
function exactTest({ stored, key }: ComparedColumn, { keys, values, patterns }: ExactTest): Sql {
  const text = sql`(${stored} COLLATE "C")`
  const equal = sql`${key} = ANY(${keys.map(textOfKey)}) AND ${text} = ANY(${values})`
  if (patterns.length === 0) return equal
  return sql`(${equal}) OR ${text} LIKE ANY(${patterns.map(likePattern)})`
}

/** A condition that may be null, or its negation, which is never null. */
export const withNegation = (positive: Sql, isNegated: boolean): Sql =>
  isNegated ? sql`((${positive}) IS NOT TRUE)` : sql`(${positive})`

/** A comparison with the same result for all values but null. */
function known(stored: Sql, result: boolean, isNegated: boolean): Sql {
  if (result) return isNegated ? sql`${stored} IS NULL` : sql`${stored} IS NOT NULL`
  return isNegated ? sql`TRUE` : sql`FALSE`
}

export const OPERATORS = {
  less: sql`<`,
  lessEqual: sql`<=`,
  greater: sql`>`,
  greaterEqual: sql`>=`,
} as const

/** Texts lose the order of code points that their keys carry: the database has its own. */
export const boundValue = (value: Scalar): SqlValue =>
  typeof value === 'string' ? textOfKey(value) : value

type KeywordTest = Extract<Test, { readonly op: 'keyword' }>
/** Tests of several values, and those of texts only. */
export type TextTest = Extract<Test, { readonly op: 'like' | 'notLike' | 'keyword' | 'in' }>

/** A test of a text expression; null for null. */
export function textTest(key: Sql, test: TextTest): Sql {
  switch (test.op) {
    case 'like':
      return like(key, test.wildcard)
    case 'notLike':
      return sql`${key} NOT LIKE ${likePattern(test.wildcard)}`
    case 'keyword':
      return keywords(key, test)
    case 'in': {
      const values = test.values.map(boundValue)
      const patterns = test.wildcards.map(likePattern)
      if (patterns.length === 0) return sql`${key} = ANY(${values})`
      if (values.length === 0) return sql`${key} LIKE ANY(${patterns})`
      return sql`${key} = ANY(${values}) OR ${key} LIKE ANY(${patterns})`
    }
  }
}

/** A range, which an index answers whatever the value is when the statement is planned. */
function beginning(key: Sql, text: string): Sql {
  const end = textAfter(text)
  return end === null ? sql`${key} >= ${text}` : sql`${key} >= ${text} AND ${key} < ${end}`
}

function like(key: Sql, wildcard: Wildcard): Sql {
  const { parts, anchoredStart, anchoredEnd } = wildcard
  const pattern = sql`${key} LIKE ${likePattern(wildcard)}`
  if (!anchoredStart) return pattern
  const range = beginning(key, textOfKey(parts[0]!))
  return parts.length === 1 && !anchoredEnd ? range : sql`${range} AND ${pattern}`
}

/**
 * Words between blanks, each sought with the blanks around it. A cheap test excludes most texts
 * without the words before the words are split.
 */
function keywords(key: Sql, { words }: KeywordTest): Sql {
  const texts = words.map(({ key: word }) => textOfKey(word))
  const sought = words.map(({ isPrefix }, at) => `% ${texts[at]!}${isPrefix ? '' : ' '}%`)
  const pieces = texts.map((text) => `%${text}%`)
  const split = sql`(' ' || regexp_replace(${key}, ${wordBreakPattern()}, ' ', 'g') || ' ')`
  return sql`${key} LIKE ALL(${pieces}) AND ${split} LIKE ALL(${sought})`
}

/**
 * The same, which an index of words answers: `test` decides on the rows where it does not. A row
 * that the database reads by another index is tested for the texts first, as splitting it takes
 * long. These tests have the form `<> constant`, which the planner expects of nearly all rows: the
 * index alone decides how many it expects. A word may be in most rows or in one, which have other
 * plans.
 */
function indexedWords(key: Sql, wordsFunction: SqlName, { words }: KeywordTest, test: Sql): Sql {
  const sought = words.map(({ key: word, isPrefix }) => ({ text: textOfKey(word), isPrefix }))
  const { query, isExact } = wordQuery(sought)
  const indexed = sql`${wordsFunction}(${key}) @@ ${query}::text::tsquery ${PLANNED_BY_VALUES}`
  if (!isExact) return sql`${indexed} AND ${test}`
  const within = sought.map(({ text }) => sql`strpos(${key}, ${text}) <> 0`)
  const isSplit = sql`least(octet_length(${key}), ${LONG_TEXT}::integer) <> ${LONG_TEXT}::integer`
  return joined([indexed, ...within, sql`(${isSplit} OR (${test}))`], sql` AND `)
}

/** Conditions in parentheses; `none` if there are none. */
export const all = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? sql`TRUE` : sql`(${joined(parts, sql` AND `)})`
export const any = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? sql`FALSE` : sql`(${joined(parts, sql` OR `)})`
