import type { ClassModel } from '@entia/core'
import type { OrderBy, OrderTerm } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { everyRow, Joins, type RowsOf } from './joins.ts'
import { jsonAt, jsonText } from './json-test.ts'
import { keyAt, type Place, recordAt, rootPlace } from './place.ts'

export interface OrderSql {
  /** LEFT JOINs behind the table of the dataclass as `t0`; blank without relations. */
  readonly joins: Sql
  /** Behind ORDER BY. It ends with the record number, so that no two rows are equal. */
  readonly by: Sql
}

/**
 * The order of a selection: null lowest, equal entities in record order. Null if a term is a
 * computed attribute, or leads to entities that a computed attribute hides. Cost: O(terms).
 */
export function orderSql(
  model: SqlModel,
  dataClass: ClassModel,
  orderBy: OrderBy,
  rowsOf: RowsOf = everyRow,
): OrderSql | null {
  const joins = new Joins(model, dataClass, rowsOf, sql`LEFT JOIN`)
  const terms: Sql[] = []
  for (const term of orderBy) {
    const place = joins.to(term.steps)
    const keys = place === null ? null : termKeys(place, term)
    if (keys === null) return null
    const direction = term.descending ? sql`DESC NULLS LAST` : sql`ASC NULLS FIRST`
    for (const key of keys) terms.push(sql`${key} ${direction}`)
  }
  terms.push(recordAt(rootPlace(model, dataClass)))
  return { joins: joins.sql, by: listed(terms) }
}

function termKeys(place: Place, { attribute, properties }: OrderTerm): readonly Sql[] | null {
  if (attribute.kind === 'calculated') return null
  const key = keyAt(place, attribute)
  return attribute.type === 'object' ? scalarKeys(jsonAt(key, properties)) : [key]
}

/**
 * The order of values of several types: null, booleans, texts, numbers. Objects and arrays count as
 * null.
 */
export const scalarKeys = (found: Sql): readonly Sql[] => [
  sql`CASE jsonb_typeof(${found}) WHEN 'boolean' THEN 1 WHEN 'string' THEN 2 WHEN 'number' THEN 3 ELSE 0 END`,
  sql`CASE WHEN jsonb_typeof(${found}) = 'string' THEN ${jsonText(found)} END`,
  sql`CASE WHEN jsonb_typeof(${found}) IN ('boolean', 'number') THEN ${found} END`,
]
