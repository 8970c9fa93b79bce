import type { ClassModel } from '@entia/core'
import { both, type Predicate } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Sql } from '../sql-builder/sql.ts'
import { rootPlace } from './place.ts'
import { isTranslatable, predicateSql } from './predicate-sql.ts'

/** A selection to translate. */
export interface AskedSelection {
  readonly model: SqlModel
  readonly dataClass: ClassModel
  /** As bound by core: row filters are part of it. */
  readonly predicate: Predicate
}

export interface SelectionSql {
  /** A condition on the table of the dataclass as `t0`. It holds for every member. */
  readonly where: Sql
  /**
   * What the database was not asked: a row that satisfies `where` is a member if it satisfies this
   * predicate too. Null if `where` alone decides.
   */
  readonly remainder: Predicate | null
}

/**
 * The condition of a filter. Comparisons of computed attributes, and words in exact text, have no
 * SQL: the condition is then as strict as the rest of the filter allows. Cost: O(predicate).
 */
export function selectionSql({ model, dataClass, predicate }: AskedSelection): SelectionSql {
  const parts = predicate.kind === 'and' ? predicate.parts : [predicate]
  const rest = parts.filter((part) => !isTranslatable(model, part))
  return {
    where: predicateSql(model, predicate, rootPlace(model, dataClass)),
    remainder: rest.length === 0 ? null : both(rest),
  }
}
