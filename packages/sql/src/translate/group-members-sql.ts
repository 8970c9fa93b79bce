import type { StorageAttribute } from '@entia/core'
import type { AggregatedPath, BoundGrouping, ValuePath } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import { joined, listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { dayOf, startOfSpan } from './date-span-sql.ts'
import { numbered } from './each-value.ts'
import { Joins, type RowsOf } from './joins.ts'
import { columnOf, keyAt, type Place, recordAt, rootPlace, storedAt } from './place.ts'
import {
  elementsOf,
  type Members,
  type PropertySql,
  propertyAt,
  propertyColumns,
} from './values-sql.ts'

/** The groups of some entities. */
export interface AskedGroups {
  readonly model: SqlModel
  readonly members: Members
  readonly grouping: BoundGrouping
  readonly rowsOf: RowsOf
}

/** A value: as it is compared, and as it shows. */
export interface GroupColumns {
  readonly key: Sql
  readonly shown: Sql
}

/** The columns of an aggregated path in `groupMembers`. */
export const keyColumn = (at: number): SqlName => new SqlName(`v${at}k`)
export const shownColumn = (at: number): SqlName => new SqlName(`v${at}s`)
export const termColumn = (at: number): SqlName => numbered('s', at)

/**
 * A row for each member, or for each combination of the elements of its arrays: the group `g`, a
 * number `i` in record order, the value of each term, and the keys and values of aggregated paths.
 * Null if a path has no SQL.
 */
export function groupMembers({ model, members, grouping, rowsOf }: AskedGroups): Sql | null {
  const { dataClass, terms, aggregated } = grouping
  const root = rootPlace(model, dataClass)
  const joins = new Joins(model, dataClass, rowsOf, sql`LEFT JOIN`)
  const keys: Sql[] = []
  const met: Sql[] = [recordAt(root)]
  const columns: Sql[] = []
  const elements: Sql[] = []
  for (const [at, term] of terms.entries()) {
    const place = joins.to(term.steps)
    const { attribute, properties } = term.path
    if (place === null || attribute.kind !== 'storage') return null
    if (attribute.type === 'object') {
      const element = new SqlName(`element${at}`)
      elements.push(
        sql`LEFT JOIN LATERAL ${eachOnce(propertyAt(place, attribute, properties))} AS ${element} ON TRUE`,
      )
      keys.push(...propertyColumns(element).keys)
      met.push(sql`${element}.ordinality`)
      columns.push(sql`${element}.shown::text AS ${termColumn(at)}`)
    } else {
      const { key, shown } = termValue(place, attribute, term)
      keys.push(key)
      columns.push(sql`${shown} AS ${termColumn(at)}`)
    }
  }
  for (const [at, path] of aggregated.entries()) {
    const place = joins.to(path.steps)
    const value = place === null ? null : aggregatedValue(place, path)
    if (value === null) return null
    columns.push(sql`${value.key} AS ${keyColumn(at)}`, sql`${value.shown} AS ${shownColumn(at)}`)
  }
  const order = keys.map((key) => sql`${key} NULLS FIRST`)
  return sql`SELECT dense_rank() OVER (ORDER BY ${listed(order)}) AS g, row_number() OVER (ORDER BY ${listed(met)}) AS i, ${listed(columns)} FROM ${members.from} ${joins.sql} ${joined(elements, sql` `)} WHERE ${members.where}`
}

/** The elements of a property, each key once. */
export function eachOnce(property: PropertySql): Sql {
  const element = new SqlName('each')
  const { keys, isValue } = propertyColumns(element)
  const by = listed(keys)
  return sql`(SELECT DISTINCT ON (${by}) * FROM ${elementsOf(property)} AS ${element} WHERE ${isValue} ORDER BY ${by}, ordinality)`
}

/** The value of a term: as it is compared, and as it shows. */
export function termValue(
  place: Place,
  attribute: StorageAttribute,
  { span }: ValuePath,
): GroupColumns {
  const shown = storedAt(place, attribute)
  if (span === null) return { key: keyAt(place, attribute), shown }
  const start = startOfSpan(attribute.dateOnly ? shown : dayOf(shown), span)
  return { key: start, shown: start }
}

/** A value, the two forms of a property, or whether there is an object or are bytes. */
export function aggregatedValue(
  place: Place,
  { path: { attribute, properties } }: AggregatedPath,
): GroupColumns | null {
  if (attribute.kind !== 'storage') return null
  if (properties.length > 0) {
    const { folded, written } = propertyAt(place, attribute, properties)
    return { key: folded, shown: written }
  }
  const shown = storedAt(place, attribute)
  const { kind } = columnOf(place, attribute)
  if (kind !== 'object' && kind !== 'media') return { key: keyAt(place, attribute), shown }
  return { key: sql`CASE WHEN ${shown} IS NOT NULL THEN TRUE END`, shown: sql`NULL` }
}
