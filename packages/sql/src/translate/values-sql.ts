import type { AttributeModel, ClassModel, StorageAttribute } from '@entia/core'
import {
  formatDay,
  present,
  type ResolvedPath,
  type StoredValue,
  type ValuePath,
} from '@entia/core/internal'
import { NUMERIC_TYPES } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { Joins, type RowsOf } from './joins.ts'
import { jsonAt } from './json-test.ts'
import { scalarKeys } from './order-sql.ts'
import { keyAt, type Place, recordAt, storedAt } from './place.ts'

/** The entities that values are read of: a table list with the dataclass as `t0`, a condition. */
export interface Members {
  readonly from: Sql
  readonly where: Sql
}

/** Values of one path of some entities. */
export interface AskedValues {
  readonly model: SqlModel
  readonly dataClass: ClassModel
  readonly members: Members
  readonly path: ResolvedPath
  readonly rowsOf: RowsOf
}

/** How the values of a path are compared, shown and ordered. */
export interface ValueColumns {
  /** Equal values have equal keys; they order values, null first. */
  readonly keys: readonly Sql[]
  /** True for what is compared: neither null nor an object. */
  readonly isValue: Sql
  /** The value as `shownValue` takes it. */
  readonly shown: Sql
  /** The number to add up; null for other types. Of a property: null where it is not a number. */
  readonly number: Sql | null
}

/** A row for each value: the elements of a property that is an array are values. */
export interface ValueSource extends ValueColumns {
  readonly from: Sql
  readonly where: Sql
  /** The order in which values are met: that of records at every relation, then of elements. */
  readonly met: readonly Sql[]
}

/** The values of a path. Null if it ends in a computed attribute, or is hidden by one. */
export function valueSource({
  model,
  dataClass,
  members,
  path,
  rowsOf,
}: AskedValues): ValueSource | null {
  const joins = new Joins(model, dataClass, rowsOf, sql`JOIN`)
  const place = joins.to(path.steps)
  const { attribute, properties } = path
  if (place === null || attribute.kind !== 'storage') return null
  const from = sql`${members.from} ${joins.sql}`
  const met = joins.places.map(recordAt)
  if (attribute.type !== 'object') {
    const columns = valueColumns(place, attribute)
    return { ...columns, from, where: members.where, met }
  }
  const element = new SqlName('element')
  return {
    ...propertyColumns(element),
    from: sql`${from} CROSS JOIN LATERAL ${elementsOf(propertyAt(place, attribute, properties))} AS ${element}`,
    where: members.where,
    met: [...met, sql`${element}.ordinality`],
  }
}

/** The columns of an attribute that is not an object. */
function valueColumns(place: Place, attribute: StorageAttribute): ValueColumns {
  const shown = storedAt(place, attribute)
  return {
    keys: [keyAt(place, attribute)],
    isValue: sql`${shown} IS NOT NULL`,
    shown,
    number: isNumeric(attribute) ? shown : null,
  }
}

/** The columns of the elements of `elementsOf`. */
export function propertyColumns(element: SqlName): ValueColumns {
  const key = sql`${element}.key`
  return {
    keys: scalarKeys(key),
    isValue: sql`jsonb_typeof(${key}) IN ('boolean', 'string', 'number')`,
    shown: sql`${element}.shown::text`,
    number: sql`CASE WHEN jsonb_typeof(${key}) = 'number' THEN (${key} #>> '{}')::float8 END`,
  }
}

export const isNumeric = ({ type }: StorageAttribute): boolean => NUMERIC_TYPES.has(type)

/** Whether the attribute has whole numbers, whose sums are exact. */
export const isWhole = (attribute: AttributeModel): boolean =>
  'type' in attribute && (attribute.type === 'long' || attribute.type === 'long64')

/** A property of objects: for comparisons, and as it was written. */
export interface PropertySql {
  readonly folded: Sql
  readonly written: Sql
}

/** A property of an object, with folded texts and as it is written. */
export const propertyAt = (
  place: Place,
  attribute: StorageAttribute,
  properties: readonly string[],
): PropertySql => ({
  folded: jsonAt(keyAt(place, attribute), properties),
  written: jsonAt(sql`${storedAt(place, attribute)}::jsonb`, properties),
})

/** The elements of a property that is an array, else the property: `key`, `shown`, `ordinality`. */
export function elementsOf({ folded, written }: PropertySql): Sql {
  const elements = (found: Sql): Sql =>
    sql`jsonb_array_elements(CASE WHEN jsonb_typeof(${found}) = 'array' THEN ${found} ELSE jsonb_build_array(${found}) END)`
  return sql`(SELECT key, shown, ordinality FROM ROWS FROM (${elements(folded)}, ${elements(written)}) WITH ORDINALITY AS pairs(key, shown, ordinality))`
}

/** A value that the database answered as `shown`, as entities show it. */
export function shownValue({ attribute, properties }: ResolvedPath, found: unknown): unknown {
  if (found === null || found === undefined) return null
  if (properties.length > 0) return JSON.parse(String(found))
  if (attribute.kind !== 'storage') return found
  // Whole numbers of 64 bits come as text or as a bigint from some drivers.
  const isText = attribute.type === 'string' || attribute.type === 'uuid'
  const stored = isText || typeof found === 'boolean' ? found : Number(found)
  return present(attribute.type, attribute.dateOnly, stored as StoredValue)
}

/** The value of a term as groups show it: days are of the start of a span. */
export function shownTerm({ path, span }: ValuePath, found: unknown): unknown {
  if (span === null) return shownValue(path, found)
  return found === null ? null : formatDay(Number(found))
}
