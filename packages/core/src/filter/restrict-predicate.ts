import { assertNever } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { both, either, negation } from './draft.ts'
import type { Predicate } from './predicate.ts'

/** The condition that the entities of a dataclass must satisfy to be seen; null where all are. */
type RowsOf = (dataClass: ClassModel) => Predicate | null

/**
 * A predicate as it is for a reader to whom some entities are hidden: its relations lead to those that can be seen only, and one
 * that leads to a hidden entity is empty. The entities it is asked of are not restricted: see `both`. The predicate must be bound
 * with `isRestricted`, so that no foreign key stands for a relation. Cost: O(predicate).
 */
export function restrictRelations(predicate: Predicate, rowsOf: RowsOf): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, parts: predicate.parts.map((part) => restrictRelations(part, rowsOf)) }
    case 'not':
      return { kind: 'not', part: restrictRelations(predicate.part, rowsOf) }
    case 'related': {
      const part = restrictRelations(predicate.part, rowsOf)
      const rows = rowsOf(predicate.relation.target)
      if (rows === null) return { ...predicate, part }
      // A hidden entity is a missing one: it gives the answer that a missing one gives.
      return { ...predicate, part: predicate.whenMissing ? either([part, negation(rows)]) : both([part, rows]) }
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

/** A row filter's predicate, whose computed attributes see everything wherever it is asked. Cost: O(predicate). */
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
