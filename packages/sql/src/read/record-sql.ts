import type { ClassModel, StorageAttribute, ToOneAttribute } from '@entia/core'
import { formatDate, type Predicate } from '@entia/core/internal'
import type {
  AnswerBounds,
  EntityCounter,
  EntityRecord,
  FieldValue,
  ProjectedField,
  Projection,
  RelatedPage,
  ValueAttribute,
} from '@entia/engine'
import { type SqlModel, STAMP, TIMESTAMP } from '../schema/sql-model.ts'
import { listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import type { RowsOf } from '../translate/joins.ts'
import { fromPlace, type Place, placeOf, recordAt, storedAt } from '../translate/place.ts'
import { isTranslatable, predicateSql } from '../translate/predicate-sql.ts'
import { type ValueSql, valueSql } from './value-sql.ts'

/** Columns of a statement that show one entity, and the reader of what they answer. */
export interface ShownSql<T> {
  readonly columns: readonly Sql[]
  /** `at`: the place of the first column in the row, the key. Throws budgetExceeded. */
  read(row: readonly unknown[], at: number, counter: EntityCounter): T
}
export type RecordSql = ShownSql<EntityRecord>

/** What a caller may see, and how much an answer may hold. */
export interface RecordScope extends Pick<AnswerBounds, 'relatedTop'> {
  readonly model: SqlModel
  readonly rowsOf: RowsOf
}

/** The first columns of a shown entity: its key, its stamp, and when it was saved. */
export const markColumns = (place: Place, { key }: ClassModel): Sql[] => [
  valueSql(place, key).column,
  sql`${place.alias}.${STAMP}`,
  sql`${place.alias}.${TIMESTAMP}`,
]

/**
 * How a projection reads an entity, with its related entities, within one statement. Null if it
 * shows what the database does not know: a computed attribute, or entities that one hides. Cost:
 * O(fields), once per shape of request.
 */
export function recordSql(
  scope: RecordScope,
  place: Place,
  projection: Projection,
): RecordSql | null {
  return new RecordBuilder(scope).build(place, projection)
}

class RecordBuilder {
  readonly #scope: RecordScope
  /** Numbers the tables of sub-selects. */
  #tables = 0

  constructor(scope: RecordScope) {
    this.#scope = scope
  }

  build(place: Place, { dataClass, fields }: Projection): RecordSql | null {
    const key = valueSql(place, dataClass.key)
    const columns = markColumns(place, dataClass)
    const readers: FieldReader[] = []
    for (const field of fields) {
      const made = this.#field(place, field)
      if (made === null) return null
      if (made.column !== null) columns.push(made.column)
      readers.push(made)
    }
    return {
      columns,
      read(row, at, counter) {
        counter.add()
        let next = at + 3
        return {
          key: key.read(row[at]) as string | number,
          stamp: row[at + 1] as number,
          timestamp: formatDate(row[at + 2] as number, false),
          values: readers.map(({ column, read }) =>
            read(column === null ? null : row[next++], counter),
          ),
        }
      },
    }
  }

  #field(place: Place, field: ProjectedField): FieldReader | null {
    switch (field.kind) {
      case 'value':
      case 'properties':
        return this.#value(place, field.attribute)
      case 'deferredEntity':
        return this.#relatedKey(place, field.attribute)
      case 'deferredEntities':
        return { column: null, read: () => null }
      case 'entity':
        return this.#related(place, field)
      case 'entities':
        return this.#relatedPage(place, field)
    }
  }

  #value(place: Place, attribute: ValueAttribute): FieldReader | null {
    if (attribute.kind === 'storage') return valueSql(place, attribute)
    if (attribute.kind === 'calculated' || attribute.target.kind === 'calculated') return null
    return this.#behind(place, attribute.steps, attribute.target)
  }

  /** The value of an attribute behind to-one relations. */
  #behind(
    place: Place,
    [step, ...further]: readonly ToOneAttribute[],
    attribute: StorageAttribute,
  ): ValueSql | null {
    if (step === undefined) return valueSql(place, attribute)
    const there = this.#place(step.target)
    const rows = this.#condition(step.target, there)
    const inner = this.#behind(there, further, attribute)
    if (rows === null || inner === null) return null
    const select = sql`(SELECT ${inner.column} FROM ${fromPlace(there)} WHERE ${isTarget(place, step, there)} AND ${rows})`
    return { column: select, read: (found) => inner.read(found ?? null) }
  }

  /** The key of a related entity that the caller may see. */
  #relatedKey(place: Place, relation: ToOneAttribute): FieldReader | null {
    if (this.#scope.rowsOf(relation.target) === null) return valueSql(place, relation.foreignKey)
    return this.#behind(place, [relation], relation.target.key)
  }

  #related(
    place: Place,
    { attribute, projection }: Extract<ProjectedField, { kind: 'entity' }>,
  ): FieldReader | null {
    const there = this.#place(attribute.target)
    const rows = this.#condition(attribute.target, there)
    const record = this.build(there, projection)
    if (rows === null || record === null) return null
    return {
      column: sql`(SELECT ${asJson(record)}::text FROM ${fromPlace(there)} WHERE ${isTarget(place, attribute, there)} AND ${rows})`,
      read: (found, counter) =>
        found === null ? null : record.read(fromJson(JSON.parse(found as string)), 0, counter),
    }
  }

  #relatedPage(
    place: Place,
    { attribute, projection }: Extract<ProjectedField, { kind: 'entities' }>,
  ): FieldReader | null {
    const { target, inverse, owner } = attribute
    const there = this.#place(target)
    const rows = this.#condition(target, there)
    const record = this.build(there, projection)
    if (rows === null || record === null) return null
    const members = sql`FROM ${fromPlace(there)} WHERE ${storedAt(there, inverse.foreignKey)} = ${storedAt(place, owner.key)} AND ${rows}`
    const shown = new SqlName(`s${this.#tables}`)
    const page = sql`SELECT ${asJson(record)} AS shown, ${recordAt(there)} AS rec ${members} ORDER BY ${recordAt(there)} LIMIT ${this.#scope.relatedTop}::int`
    return {
      column: sql`(SELECT json_build_array((SELECT count(*) ${members}), (SELECT json_agg(${shown}.shown ORDER BY ${shown}.rec) FROM (${page}) AS ${shown}))::text)`,
      read(found, counter): RelatedPage {
        const [count, rows] = JSON.parse(found as string) as [number, unknown[][] | null]
        const records = (rows ?? []).map((row) => record.read(fromJson(row), 0, counter))
        return { count, records }
      },
    }
  }

  #place(dataClass: ClassModel): Place {
    this.#tables += 1
    return placeOf(this.#scope.model, dataClass, 'r', this.#tables)
  }

  /** The condition that the caller may see the entity; null if it has no SQL. */
  #condition(dataClass: ClassModel, place: Place): Sql | null {
    const rows: Predicate | null = this.#scope.rowsOf(dataClass)
    if (rows === null) return sql`true`
    const { model } = this.#scope
    return isTranslatable(model, rows) ? predicateSql(model, rows, place) : null
  }
}

/** A field of a record; without a column its value is the same for all. */
interface FieldReader {
  readonly column: Sql | null
  read(found: unknown, counter: EntityCounter): FieldValue
}

const isTarget = (from: Place, { foreignKey, target }: ToOneAttribute, there: Place): Sql =>
  sql`${storedAt(there, target.key)} = ${storedAt(from, foreignKey)}`

/** PostgreSQL takes 100 arguments of a function. */
const MAX_ARGUMENTS = 100

/** The columns as one JSON array of arrays. */
function asJson({ columns }: RecordSql): Sql {
  const groups: Sql[] = []
  for (let from = 0; from < columns.length; from += MAX_ARGUMENTS)
    groups.push(sql`json_build_array(${listed(columns.slice(from, from + MAX_ARGUMENTS))})`)
  return sql`json_build_array(${listed(groups)})`
}
const fromJson = (groups: unknown): unknown[] => (groups as unknown[][]).flat()
