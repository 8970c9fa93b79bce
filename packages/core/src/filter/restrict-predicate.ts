import { assertNever } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { both, either, negation } from './draft.ts'
import type { Predicate } from './predicate.ts'

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
