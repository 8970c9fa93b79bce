import type { Database } from '../execute/database.ts'
import { addConditions, scoresOf, type WordCondition } from '../execute/relevance.ts'
import { onceOf } from '../execute/time-slices.ts'
import { hasRelevance, isRelevance, relevanceError, relevanceOf } from '../filter/bind-order-by.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { Table } from '../storage/table.ts'

/** The filter of a selection, and those of the selections that it was narrowed from. */
export interface Filters {
  readonly predicate: Predicate
  readonly outer?: Filters | null | undefined
}

/**
 * An order with the scores of the words in some filters, where it names `relevance`; any other
 * order as it is. `restrictsRows`: some entities are hidden. Ties are in the order of keys. Throws
 * `attributeNotSortable` where there is no relevance.
 */
export function scoredOrder(
  database: Database,
  restrictsRows: boolean,
  table: Table,
  orderBy: OrderBy,
  filters: Filters | null,
): OrderBy {
  if (!hasRelevance(orderBy)) return orderBy
  const { model } = table
  if (restrictsRows)
    throw relevanceError(model, 'Scores count entities that are hidden here: use another order.')
  const conditions: WordCondition[] = []
  // A search without words, or with a condition that cannot hold, selects nothing to order.
  let isEmpty = false
  for (let at = filters; at !== null; at = at.outer ?? null) {
    const { predicate } = at
    addConditions(predicate, conditions)
    isEmpty ||= predicate.kind === 'constant' && !predicate.value
  }
  if (conditions.length === 0 && !isEmpty) throw relevanceError(model)
  const relevance = onceOf(database.slices, ['relevance', database, conditions], () =>
    relevanceOf(model, table.isWhole ? scoresOf(table, conditions, database.slices) : null),
  )
  if (relevance.scores === null)
    throw relevanceError(model, 'No index of words is kept here: use another order.')
  const terms = orderBy.map((term) =>
    isRelevance(term) ? { ...term, attribute: relevance } : term,
  )
  return [...terms, { steps: [], attribute: model.key, properties: [], descending: false }]
}
