import type { ClassModel, RelationAttribute } from '@entia/core'
import type { Predicate } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import { joined, type Sql, sql } from '../sql-builder/sql.ts'
import { fromPlace, type Place, placeOf, rootPlace, storedAt } from './place.ts'
import { isTranslatable, predicateSql } from './predicate-sql.ts'

/** The row filter of a dataclass; null where the caller may see all entities. */
export type RowsOf = (dataClass: ClassModel) => Predicate | null
export const everyRow: RowsOf = () => null

/** Tables behind relations, each path joined once. A relation to a hidden entity is empty. */
export class Joins {
  readonly #model: SqlModel
  readonly #root: Place
  readonly #rowsOf: RowsOf
  readonly #kind: Sql
  readonly #places = new Map<string, Place>()
  readonly #joins: Sql[] = []

  /** `kind`: LEFT JOIN, or JOIN for entities with a related one only. */
  constructor(model: SqlModel, dataClass: ClassModel, rowsOf: RowsOf, kind: Sql) {
    this.#model = model
    this.#root = rootPlace(model, dataClass)
    this.#rowsOf = rowsOf
    this.#kind = kind
  }

  /** Behind the table of the dataclass as `t0`; blank without relations. */
  get sql(): Sql {
    return joined(this.#joins, sql` `)
  }
  /** The tables in the order in which paths lead to them, the first one first. */
  get places(): readonly Place[] {
    return [this.#root, ...this.#places.values()]
  }

  /** Where relations lead; null if the entities that the caller may see have no SQL. */
  to(steps: readonly RelationAttribute[]): Place | null {
    let place = this.#root
    let path = ''
    for (const step of steps) {
      path += `.${step.name}`
      const next = this.#places.get(path) ?? this.#joined(place, step)
      if (next === null) return null
      this.#places.set(path, next)
      place = next
    }
    return place
  }

  #joined(from: Place, relation: RelationAttribute): Place | null {
    const { target } = relation
    const there = placeOf(this.#model, target, 'j', this.#joins.length)
    const rows = this.#rowsOf(target)
    if (rows !== null && !isTranslatable(this.#model, rows)) return null
    const isSeen = rows === null ? sql`` : sql` AND ${predicateSql(this.#model, rows, there)}`
    const isRelated =
      relation.kind === 'relatedEntity'
        ? sql`${storedAt(there, target.key)} = ${storedAt(from, relation.foreignKey)}`
        : sql`${storedAt(there, relation.inverse.foreignKey)} = ${storedAt(from, relation.owner.key)}`
    this.#joins.push(sql`${this.#kind} ${fromPlace(there)} ON ${isRelated}${isSeen}`)
    return there
  }
}
