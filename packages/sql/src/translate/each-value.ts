import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import type { ValueSource } from './values-sql.ts'

/**
 * The values with their keys `k0`…, the number to add up, and the order `m0`… of their first
 * records.
 */
export function eachValue(source: ValueSource, isDistinct: boolean): Sql {
  const { keys, shown, number, met, from, where, isValue } = source
  const columns = listed([
    ...keys.map((key, at) => sql`${key} AS ${numbered('k', at)}`),
    sql`${shown} AS shown`,
    sql`${number ?? sql`NULL`} AS number`,
    ...met.map((each, at) => sql`${each} AS ${numbered('m', at)}`),
  ])
  const select = sql`${columns} FROM ${from} WHERE ${where} AND ${isValue}`
  if (!isDistinct) return sql`SELECT ${select}`
  const by = named('k', keys.length)
  return sql`SELECT DISTINCT ON (${listed(by)}) * FROM (SELECT ${select}) AS every ORDER BY ${listed([...by, ...named('m', met.length)])}`
}

/** `k0`, `k1`. */
export const numbered = (letter: string, at: number): SqlName => new SqlName(`${letter}${at}`)
export const named = (letter: string, count: number): readonly Sql[] =>
  Array.from({ length: count }, (_, at) => sql`${numbered(letter, at)}`)
