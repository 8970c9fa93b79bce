import { doubleOf } from '@entia/core/internal'
import { type Sql, sql } from '../sql-builder/sql.ts'

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
export function sumOfSignificands(sums: Iterable<readonly [unknown, unknown]>): number {
  let steps = 0n
  for (const [exponent, sum] of sums)
    steps += BigInt(String(sum)) << BigInt(Math.max(0, Number(exponent) - 1))
  return doubleOf(steps)
}
