import type { ClassModel } from '../model/catalog.ts'
import type { OrderBy, Predicate } from './predicate.ts'

/**
 * The dataclasses that the relations of a predicate lead to. Changes in them can change its result.
 * Null for a computed attribute, which may read anything. Cost: O(predicate).
 */
export function readsOf(predicate: Predicate): ReadonlySet<ClassModel> | null {
  const found = new Set<ClassModel>()
  return addReads(predicate, found) ? found : null
}

/** The same for an order. */
export function readsOfOrder(orderBy: OrderBy): ReadonlySet<ClassModel> | null {
  if (orderBy.some(({ attribute }) => attribute.kind === 'calculated')) return null
  return new Set(orderBy.flatMap(({ steps }) => steps.map(({ target }) => target)))
}

function addReads(predicate: Predicate, found: Set<ClassModel>): boolean {
  switch (predicate.kind) {
    case 'computed':
      return false
    case 'related':
      found.add(predicate.relation.target)
      return addReads(predicate.part, found)
    case 'not':
      return addReads(predicate.part, found)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addReads(part, found))
    default:
      return true
  }
}
