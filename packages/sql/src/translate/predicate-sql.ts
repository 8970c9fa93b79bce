import type { Predicate, RelatedPredicate } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import { wordsFunction } from '../schema/word-index.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { all, any, columnTest, withNegation } from './column-test.ts'
import { jsonMatch } from './json-test.ts'
import { columnOf, fromPlace, keyAt, type Place, placeOf, storedAt } from './place.ts'

/** True for a predicate whose SQL selects exactly the same entities. Cost: O(predicate). */
export function isTranslatable(model: SqlModel, predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.parts.every((part) => isTranslatable(model, part))
    case 'not':
    case 'related':
      return isTranslatable(model, predicate.part)
    case 'computed':
      return false
    default:
      return true
  }
}

/**
 * The condition of a predicate. Negations go down to the comparisons, so that none is applied to
 * null. `upper` decides about comparisons without SQL: true if the condition may select more
 * entities than the predicate, false if fewer. Foreign keys must lead to entities, as constraints
 * make sure.
 */
export function predicateSql(
  model: SqlModel,
  predicate: Predicate,
  at: Place,
  isNegated = false,
  upper = true,
  depth = 1,
): Sql {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value === isNegated ? sql`FALSE` : sql`TRUE`
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) =>
        predicateSql(model, part, at, isNegated, upper, depth),
      )
      return (predicate.kind === 'and') === isNegated ? any(parts) : all(parts)
    }
    case 'not':
      return predicateSql(model, predicate.part, at, !isNegated, upper, depth)
    case 'compare': {
      const { attribute, test } = predicate
      const { kind } = columnOf(at, attribute)
      const column = {
        kind,
        stored: storedAt(at, attribute),
        key: keyAt(at, attribute),
        wordsFunction: attribute.words ? wordsFunction(model.schema) : null,
      }
      return columnTest(column, test, isNegated)
    }
    case 'property': {
      const { attribute, match } = predicate
      const written = sql`(${storedAt(at, attribute)})::jsonb`
      return withNegation(jsonMatch(keyAt(at, attribute), match, written), isNegated)
    }
    case 'computed':
      return upper ? sql`TRUE` : sql`FALSE`
    case 'related':
      return relatedSql(model, predicate, at, isNegated, upper, depth)
  }
}

/**
 * Sub-selects that do not depend on the row: the database joins them, or hashes them once. A
 * negated one selects fewer entities where the sub-select has more.
 */
function relatedSql(
  model: SqlModel,
  { relation, part, whenMissing }: RelatedPredicate,
  at: Place,
  isNegated: boolean,
  upper: boolean,
  depth: number,
): Sql {
  const { target } = relation
  const there = placeOf(model, target, 't', depth)
  const where = predicateSql(model, part, there, false, upper !== isNegated, depth + 1)
  const from = fromPlace(there)
  if (relation.kind === 'relatedEntities') {
    const key = storedAt(at, relation.owner.key)
    const foreignKey = storedAt(there, relation.inverse.foreignKey)
    const found = sql`(SELECT ${foreignKey} FROM ${from} WHERE ${foreignKey} IS NOT NULL AND ${where})`
    return isNegated ? sql`${key} NOT IN ${found}` : sql`${key} IN ${found}`
  }
  const foreignKey = storedAt(at, relation.foreignKey)
  const found = sql`(SELECT ${storedAt(there, target.key)} FROM ${from} WHERE ${where})`
  if (!isNegated)
    return whenMissing
      ? sql`(${foreignKey} IS NULL OR ${foreignKey} IN ${found})`
      : sql`${foreignKey} IN ${found}`
  return whenMissing
    ? sql`(${foreignKey} IS NOT NULL AND ${foreignKey} NOT IN ${found})`
    : sql`(${foreignKey} IS NULL OR ${foreignKey} NOT IN ${found})`
}
