import { both, equalToGiven, NOTHING, type Predicate, storedKey } from '@entia/core/internal'
import type { EntityReference } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { fromPlace, type Place, placeOf, recordAt } from '../translate/place.ts'
import { predicateSql } from '../translate/predicate-sql.ts'
import type { CallerFilters } from './caller-filters.ts'
import type { ReadContext } from './read-context.ts'

/**
 * The predicate that the entity of a reference satisfies. The reference names it in any spelling:
 * a UUID may have dashes. Throws `valueInvalid` for what the attribute cannot hold; a text that is
 * not a key names no entity.
 */
export function referencePredicate(reference: EntityReference): Predicate {
  if (reference.kind === 'attribute') return equalToGiven(reference.attribute, reference.value)
  const { dataClass, key } = reference
  return storedKey(dataClass, key) === null ? NOTHING : equalToGiven(dataClass.key, key)
}

/** The same, and that the caller may see it. */
export function visibleReference(filters: CallerFilters, reference: EntityReference): Predicate {
  const rows = filters.rowsOf(reference.dataClass)
  const predicate = referencePredicate(reference)
  return rows === null ? predicate : both([predicate, rows])
}

/** True if the entity of a reference exists and the caller may see it. One round trip. */
export async function ownerExists(
  { model, pool }: ReadContext,
  filters: CallerFilters,
  reference: EntityReference,
): Promise<boolean> {
  const { rows } = await pool.query(
    statementOf(sql`SELECT ${ownerSql(model, filters, reference, recordAt)}`),
  )
  return rows[0]![0] !== null
}

/** A column of the entity of a reference, as a select of at most one row. */
export function ownerSql(
  model: SqlModel,
  filters: CallerFilters,
  reference: EntityReference,
  column: (place: Place) => Sql,
): Sql {
  const place = placeOf(model, reference.dataClass, 'o', 0)
  const where = predicateSql(model, visibleReference(filters, reference), place)
  return sql`(SELECT ${column(place)} FROM ${fromPlace(place)} WHERE ${where} ORDER BY ${recordAt(place)} LIMIT 1)`
}
