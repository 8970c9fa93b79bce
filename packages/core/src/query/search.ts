import { searchFilter } from '../filter/bind-order-by.ts'
import type { ClassModel } from '../model/catalog.ts'
import { notApplicable, type Sees } from '../model/path.ts'
import { describeFound, refused } from '../value/check-options.ts'
import type { SelectionPort } from './selection-port.ts'

// The method `search` is a filter with `%`, of the attributes that the caller knows, and an order
// by relevance where entities have scores.

/**
 * The text of the filter of `search`, as `searchFilter` writes it. Throws `attributeNotApplicable`
 * without an attribute that has words, and `argumentInvalid` unless the words are a text.
 */
export function searchText(owner: ClassModel, isVisible: Sees, words: unknown): string {
  if (typeof words !== 'string')
    throw refused('The words of search()', 'a text', describeFound(words))
  const text = searchFilter(owner, isVisible, words)
  if (text !== null) return text
  throw notApplicable(owner.name, '*', 'search', 'Define one as attribute.string({ words: true }).')
}

/**
 * Scores count all entities of the dataclass, in the indexes of its words: the past has none, and a
 * reader from whom some of them are hidden gets none. Other dataclasses do not matter.
 */
export function hasScores({ database, scope, whole }: SelectionPort, model: ClassModel): boolean {
  if (
    scope.ruleOf(model) !== null ||
    whole.mustHold !== undefined ||
    model.attributes.has('relevance')
  )
    return false
  const { isWhole, indexes } = database.tableOf(model)
  return isWhole && model.storage.every(({ words, ordinal }) => !words || indexes[ordinal]?.words)
}
