import { refuseBoxed } from '@entia/core/internal'
import { joined, sql } from '../sql-builder/sql.ts'
import type { Question } from './aggregate-sql.ts'
import { eachValue, named } from './each-value.ts'
import { type AskedValues, shownValue, valueSource } from './values-sql.ts'

/**
 * The values of a path in ascending order, each key once, without null. A text has the spelling of
 * its first record. Null if the path has no SQL. Throws `attributeNotApplicable`.
 */
export function distinctSql(asked: AskedValues): Question<unknown[]> | null {
  const { path } = asked
  refuseBoxed(path, 'distinct values')
  const source = valueSource(asked)
  if (source === null) return null
  const by = joined(named('k', source.keys.length), sql`, `)
  return {
    select: sql`SELECT shown FROM (${eachValue(source, true)}) AS distinct_values ORDER BY ${by}`,
    answer: (rows) => rows.map(([value]) => shownValue(path, value)),
  }
}
