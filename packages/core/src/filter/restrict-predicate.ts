import { assertNever } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { both, either, negation } from './context.ts'
import type { OrderBy, Predicate } from './predicate.ts'

/** The condition that visible entities of a dataclass satisfy; null if all are visible. */
type RowsOf = (dataClass: ClassModel) => Predicate | null

/**
 * Restricts a predicate to the relations that a reader sees: a relation to a hidden entity is
 * empty. It does not restrict the entities that the predicate is about: see `both`. The predicate
 * must be bound with `isRestricted`, so that no foreign key replaces a relation. Cost:
 * O(predicate).
 */
export function restrictRelations(predicate: Predicate, rowsOf: RowsOf): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return {
        kind: predicate.kind,
        parts: predicate.parts.map((part) => restrictRelations(part, rowsOf)),
      }
    case 'not':
      return { kind: 'not', part: restrictRelations(predicate.part, rowsOf) }
    case 'related': {
      const part = restrictRelations(predicate.part, rowsOf)
      const rows = rowsOf(predicate.relation.target)
      if (rows === null) return { ...predicate, part }
      // A hidden entity counts as missing.
      return {
        ...predicate,
        part: predicate.whenMissing ? either([part, negation(rows)]) : both([part, rows]),
      }
    }
    case 'constant':
    case 'compare':
    case 'property':
    case 'computed':
      return predicate
    default:
      return assertNever(predicate)
  }
}

/**
 * The predicate of a row filter: its computed attributes see hidden entities too. Cost:
 * O(predicate).
 */
export function seeingEverything(predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, parts: predicate.parts.map(seeingEverything) }
    case 'not':
      return { kind: 'not', part: seeingEverything(predicate.part) }
    case 'related':
      return { ...predicate, part: seeingEverything(predicate.part) }
    case 'computed':
      return { ...predicate, seesEverything: true }
    default:
      return predicate
  }
}

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
