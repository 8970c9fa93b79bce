import {
  type ExactTest,
  isWellFormed,
  type JsonMatch,
  type Scalar,
  type Test,
} from '@entia/core/internal'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { fitText } from './clamp-to-column.ts'
import { all, boundValue, OPERATORS, textTest } from './column-test.ts'
import { likePattern } from './text-patterns.ts'

const isExact = (test: Test): boolean => test.op === 'exact' || test.op === 'notExact'

/** True for a match that reads texts as they are written. */
const readsSpelling = (match: JsonMatch): boolean =>
  match.kind === 'some' || match.kind === 'none'
    ? match.all.some(readsSpelling)
    : isExact(match.test)

/**
 * A condition inside a `jsonb` whose texts are folded; null counts as false. `written`: the same
 * document with its texts as they are, for exact tests. `depth`: collections around it.
 */
export function jsonMatch(document: Sql, match: JsonMatch, written: Sql, depth = 0): Sql {
  const found = jsonAt(document, match.path)
  switch (match.kind) {
    case 'value':
      return jsonTest(isExact(match.test) ? jsonAt(written, match.path) : found, match.test)
    case 'length': {
      const isArray = sql`jsonb_typeof(${found}) = 'array'`
      const length = sql`CASE WHEN ${isArray} THEN to_jsonb(jsonb_array_length(${found})) ELSE ${found} -> 'length' END`
      return jsonTest(sql`(${length})`, match.test)
    }
    case 'some':
    case 'none': {
      const element = new SqlName(`e${depth}`)
      // The place of an element finds it in the other document.
      const ordinality = readsSpelling(match) ? sql`WITH ORDINALITY` : sql``
      const spelled = sql`(${jsonAt(written, match.path)} -> (${element}.ordinality - 1)::integer)`
      const tests = match.all.map((inner) =>
        jsonMatch(sql`${element}.value`, inner, spelled, depth + 1),
      )
      const isArray = sql`jsonb_typeof(${found}) = 'array'`
      const exists = sql`EXISTS (SELECT FROM jsonb_array_elements(CASE WHEN ${isArray} THEN ${found} END) ${ordinality} ${element} WHERE ${all(tests)})`
      return match.kind === 'some' ? exists : sql`(${isArray} AND NOT ${exists})`
    }
  }
}

/** Names that PostgreSQL reads as the index of an element, and JavaScript as well. */
const INDEX = /^(?:0|[1-9]\d*)$/
/** Names that PostgreSQL may read as the index of an element. */
const NUMERIC = /^[\s+-]*\d+$/

/**
 * The value at a path below a `jsonb`; SQL null if a step is missing. An element of an array is
 * found by its index as JavaScript writes it: `-1` and `01` are names.
 */
export function jsonAt(document: Sql, path: readonly string[]): Sql {
  if (path.length === 0) return document
  if (path.some((name) => !isWellFormed(name) || name.includes('\0'))) return sql`NULL::jsonb`
  if (!path.some((name) => NUMERIC.test(name) && !INDEX.test(name)))
    return sql`(${document} #> ${path}::text[])`
  const steps = path.map((name) =>
    INDEX.test(name) ? sql`#> ${[name]}::text[]` : sql`-> ${name}::text`,
  )
  return sql`(${document} ${joined(steps, sql` `)})`
}

/** The text of a `jsonb` that is one, in the order of code points. */
export const jsonText = (found: Sql): Sql => sql`(${found} #>> '{}') COLLATE "C"`

const json = (value: Scalar): Sql => sql`${JSON.stringify(boundValue(value))}::text::jsonb`
const isText = (found: Sql): Sql => sql`jsonb_typeof(${found}) = 'string'`
const isThere = (found: Sql): Sql => sql`${found} <> 'null'`

/** Values of another type differ, and are neither less nor greater. */
function jsonTest(found: Sql, given: Test): Sql {
  const test = fitText(given)
  if (typeof test === 'boolean') return test ? isThere(found) : sql`FALSE`
  switch (test.op) {
    case 'isNull':
      return sql`(${found} IS NULL OR ${found} = 'null')`
    case 'isNotNull':
      return isThere(found)
    case 'equal':
      return sql`${found} = ${json(test.value)}`
    case 'notEqual':
      return sql`(${isThere(found)} AND ${found} <> ${json(test.value)})`
    case 'less':
    case 'lessEqual':
    case 'greater':
    case 'greaterEqual': {
      const { value } = test
      const operator = OPERATORS[test.op]
      if (typeof value === 'string')
        return sql`(${isText(found)} AND ${jsonText(found)} ${operator} ${boundValue(value)})`
      return sql`(jsonb_typeof(${found}) = ${typeof value} AND ${found} ${operator} ${json(value)})`
    }
    case 'exact':
      return exactJson(found, test)
    case 'notExact':
      return sql`(${isThere(found)} AND NOT ${exactJson(found, test)})`
    case 'notLike':
      return sql`(${isThere(found)} AND (NOT ${isText(found)} OR ${textTest(jsonText(found), test)}))`
    case 'in': {
      const { values, wildcards } = test
      const texts = values.map((value) => JSON.stringify(boundValue(value)))
      const isEqual = sql`${found} = ANY(${texts}::text[]::jsonb[])`
      if (wildcards.length === 0) return isEqual
      const patterns = textTest(jsonText(found), { ...test, values: [] })
      return sql`(${isEqual} OR (${isText(found)} AND ${patterns}))`
    }
    default:
      return sql`(${isText(found)} AND ${textTest(jsonText(found), test)})`
  }
}

/** Equality with one of several values, whose texts are as they are written. Never null. */
function exactJson(found: Sql, { values, patterns }: ExactTest): Sql {
  const texts = values.map((value) => JSON.stringify(value))
  const equal = sql`COALESCE(${found} = ANY(${texts}::text[]::jsonb[]), FALSE)`
  if (patterns.length === 0) return equal
  const isLike = sql`(${isText(found)} AND ${jsonText(found)} LIKE ANY(${patterns.map(likePattern)}))`
  return sql`(${equal} OR COALESCE(${isLike}, FALSE))`
}
