import type { Aggregates } from '@entia/core'
import { doubleOf, type ResolvedPath, refuseBoxed, refuseNotComputable } from '@entia/core/internal'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { eachValue, named } from './each-value.ts'
import {
  type AskedValues,
  isWhole,
  shownValue,
  type ValueSource,
  valueSource,
} from './values-sql.ts'

/** A statement with the function that reads its rows. */
export interface Question<A> {
  readonly select: Sql
  answer(rows: readonly (readonly unknown[])[]): A
}

/** Aggregates of a path; `isDistinct`: each value counts once. */
export interface AskedAggregates extends AskedValues {
  readonly isDistinct?: boolean
}

/**
 * Count, sum, average, least and greatest value of a path, as core computes them: sums are exact
 * and rounded once; of equal texts the first in record order shows. Null if the path has no SQL.
 * Throws `attributeNotApplicable`.
 */
export function aggregateSql(asked: AskedAggregates): Question<Aggregates> | null {
  refuseNotComputable(asked.path)
  const source = valueSource(asked)
  if (source === null) return null
  const { path } = asked
  const { keys, met } = source
  const least = [...named('k', keys.length), ...named('m', met.length)]
  const greatest = [
    ...named('k', keys.length).map((key) => sql`${key} DESC`),
    ...named('m', met.length),
  ]
  const shownFirst = (by: readonly Sql[]): Sql =>
    sql`(SELECT shown FROM found ORDER BY ${listed(by)} LIMIT 1)`
  const { sums, read } = sumsOf(source, path)
  return {
    select: sql`WITH found AS MATERIALIZED (${eachValue(source, asked.isDistinct === true)})
SELECT (SELECT count(*) FROM found), ${sums}, ${shownFirst(least)}, ${shownFirst(greatest)}`,
    answer([row]) {
      const [counted, added, min, max] = row!
      const count = Number(counted)
      const sum = read(added, count)
      return {
        count,
        sum,
        average: sum === null || count === 0 ? null : sum / count,
        min: shownValue(path, min),
        max: shownValue(path, max),
      }
    },
  }
}

/** How the numbers of `found` are added up; null without numbers. */
function sumsOf(
  { number }: ValueSource,
  { attribute, properties }: ResolvedPath,
): { readonly sums: Sql; read(found: unknown, count: number): number | null } {
  if (number === null || !('type' in attribute)) return { sums: sql`NULL`, read: () => null }
  if (isWhole(attribute))
    return {
      sums: sql`(SELECT sum(number)::text FROM found)`,
      read: (found) => Number(BigInt(String(found ?? 0))),
    }
  const bits = sql`bits`
  return {
    // `[[exponent, sum of significands, count], …]` as text; null without a number.
    sums: sql`(SELECT json_agg(json_build_array(e, s::text, n))::text FROM (SELECT ${exponentOf(bits)} AS e, sum(${significandOf(bits)}) AS s, count(*) AS n FROM (SELECT ${bitsOf(sql`number`)} AS bits FROM found WHERE number IS NOT NULL) AS doubles GROUP BY 1) AS sums)`,
    read(found, count) {
      const sums = (found === null ? [] : JSON.parse(String(found))) as readonly [
        number,
        string,
        number,
      ][]
      const numbers = sums.reduce((all, [, , each]) => all + each, 0)
      // The sum of a property is known if every value is a number.
      return properties.length > 0 && numbers !== count ? null : sumOfSignificands(sums)
    },
  }
}

/**
 * The values of a path in ascending order, each key once, without null. A text has the spelling of
 * its first record. Null if the path has no SQL. Throws `attributeNotApplicable`.
 */
export function distinctSql(asked: AskedValues): Question<unknown[]> | null {
  const { path } = asked
  refuseBoxed(path, 'distinct values')
  const source = valueSource(asked)
  if (source === null) return null
  const by = listed(named('k', source.keys.length))
  return {
    select: sql`SELECT shown FROM (${eachValue(source, true)}) AS distinct_values ORDER BY ${by}`,
    answer: (rows) => rows.map(([value]) => shownValue(path, value)),
  }
}

// A sum of doubles by the database depends on the order of rows and is rounded on the way. Here the
// database adds up the whole-number significands of each exponent, and this process rounds once.

/** The bits of a double as a `bigint`. */
export const bitsOf = (double: Sql): Sql =>
  sql`('x' || encode(float8send(${double}), 'hex'))::bit(64)::bigint`

/** The exponent in the bits of a double; at most 2046. */
export const exponentOf = (bits: Sql): Sql => sql`((${bits} >> 52) & 2047)`

/** The signed significand in the bits of a double, a whole number. */
export const significandOf = (bits: Sql): Sql =>
  sql`(CASE WHEN ${bits} < 0 THEN -1 ELSE 1 END * ((${bits} & 4503599627370495) + CASE WHEN ${exponentOf(bits)} = 0 THEN 0 ELSE 4503599627370496 END))`

/** The sum of significands by exponent, as text, rounded once. */
export function sumOfSignificands(sums: Iterable<readonly unknown[]>): number {
  let steps = 0n
  for (const [exponent, sum] of sums)
    steps += BigInt(String(sum)) << BigInt(Math.max(0, Number(exponent) - 1))
  return doubleOf(steps)
}
