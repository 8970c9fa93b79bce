import { EntiaError } from '@entia/core'
import type { ResolvedPath } from '@entia/core/internal'
import type { Aggregates, ComputeQuery, DistinctQuery } from '@entia/engine'
import { sql } from '../sql-builder/sql.ts'
import { aggregateSql, distinctSql, type Question } from '../translate/aggregate-sql.ts'
import { rootPlace, storedAt } from '../translate/place.ts'
import type { TranslatedQuery } from './entity-query-sql.ts'
import type { ReadContext } from './read-context.ts'

/**
 * The aggregates of one path that an action requests; the others are null. Null if the path has no
 * SQL. Throws `attributeNotFound`, `attributeNotApplicable`.
 */
export function aggregateQuestion(
  { model }: ReadContext,
  { dataClass, filters, from, where }: TranslatedQuery,
  path: string,
  { action, distinct }: Pick<ComputeQuery, 'action' | 'distinct'>,
): Question<Aggregates> | null {
  const resolved = filters.resolvePath(dataClass, path)
  const nothing = { count: 0, min: null, max: null }
  if (action === 'count' && !distinct && isBoxed(resolved)) {
    const at = rootPlace(model, dataClass)
    const select = sql`SELECT count(${storedAt(at, resolved.attribute)}) FROM ${from} WHERE ${where}`
    return { select, answer: ([row]) => ({ ...nothing, count: Number(row![0]) }) }
  }
  const members = { from, where }
  const asked = { model, dataClass, members, path: resolved, rowsOf: filters.rowsOf }
  const question = aggregateSql({ ...asked, isDistinct: distinct })
  if (question === null) return null
  return {
    select: question.select,
    answer(rows) {
      const all = question.answer(rows)
      if ((action === 'sum' || action === 'average') && all.sum === null)
        throw new EntiaError('attributeNotApplicable', {
          dataClass: dataClass.name,
          attribute: path,
          use: action === 'sum' ? 'a sum' : 'an average',
          remedy: 'Name a number or duration attribute.',
        })
      if (action === 'all' || distinct) return all
      return { ...nothing, [action]: all[action] }
    },
  }
}

/** A stored attribute whose values are only counted: an object as a whole, an image or a BLOB. */
function isBoxed(
  path: ResolvedPath,
): path is ResolvedPath & { readonly attribute: { readonly kind: 'storage' } } {
  const { attribute, properties, steps } = path
  if (attribute.kind !== 'storage' || steps.length > 0 || properties.length > 0) return false
  return attribute.type === 'object' || attribute.type === 'image' || attribute.type === 'blob'
}

/** Distinct values in the requested order and page. Null and errors as `aggregateQuestion`. */
export function distinctQuestion(
  { model }: ReadContext,
  { dataClass, filters, from, where }: TranslatedQuery,
  path: string,
  { descending, skip, top }: Pick<DistinctQuery, 'descending' | 'skip' | 'top'>,
): Question<readonly unknown[]> | null {
  const question = distinctSql({
    model,
    dataClass,
    members: { from, where },
    path: filters.resolvePath(dataClass, path),
    rowsOf: filters.rowsOf,
  })
  if (question === null) return null
  return {
    select: question.select,
    answer(rows) {
      const values = question.answer(rows)
      return (descending ? values.reverse() : values).slice(skip, skip + top)
    },
  }
}
