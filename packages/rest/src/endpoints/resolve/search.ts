import type { ClassModel } from '@entia/core'
import { searchFilter } from '@entia/core/internal'
import { type Caller, classOf, type Engine, FilterText } from '@entia/engine'
import type { Parameters } from '../../request/parameters.ts'
import type { DataRequest } from '../../request/request.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import type { DataTarget } from './data-target.ts'
import { collectionOf } from './selection-query.ts'

/**
 * Parameters whose filter has the words of `$search` too. A page without an order gets the best
 * matches first, where entities have scores. Throws methodNotApplicable where no selection is read
 * or deleted, or no text can be searched.
 */
export function withSearch(
  parameters: Parameters,
  action: DataRequest['action'],
  target: DataTarget,
  context: HandleContext,
): Parameters {
  const { search, filter, lock } = parameters
  if (search === null) return parameters
  const collection = collectionOf(target, parameters, context)
  const isRead = action === 'retrieve' && target.functionName === null
  const isSelecting = isRead || action === 'delete' || target.functionName !== null
  if (!isSelecting || lock !== null || collection === null)
    throw notApplicable('$search', 'it belongs to reads and deletions of selections')
  const { caller, engine } = context
  const dataClass = classOf(collection.source)
  const isKnown = ({ name }: { readonly name: string }): boolean =>
    caller.names.find(dataClass, name) !== undefined
  const condition = searchFilter(dataClass, isKnown, search)
  if (condition === null)
    throw notApplicable(
      '$search',
      `no attribute of "${dataClass.name}" has an index of words: attribute.string({ words: true })`,
    )
  const both = filter === null ? new FilterText(condition, null) : filter.and(condition)
  const isOrdered = filter?.hasOrder === true || !isPage(parameters) || !isRead
  const orderBy = isOrdered || !hasScores(dataClass, engine, caller) ? null : 'relevance desc'
  return { ...parameters, filter: both, orderBy: parameters.orderBy ?? orderBy }
}

/** The request reads a page of entities in no order of its own. */
const isPage = (parameters: Parameters): boolean =>
  !parameters.live &&
  !parameters.distinct &&
  parameters.compute === null &&
  parameters.groupBy === null &&
  parameters.logicOperator === null &&
  parameters.subOrderBy === null &&
  parameters.savedOrderBy === null

/** Scores count all entities of a dataclass, so callers from whom some are hidden get none. */
const hasScores = (dataClass: ClassModel, { features }: Engine, { access }: Caller): boolean =>
  features.relevance &&
  !dataClass.attributes.has('relevance') &&
  (access === null || access.rows(dataClass, 'read') === true)
