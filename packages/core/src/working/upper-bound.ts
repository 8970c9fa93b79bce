import { both, either } from '../filter/draft.ts'
import type { ComparePredicate, Predicate, PropertyPredicate } from '../filter/predicate.ts'

/** Tells whether the other storage can answer a comparison of stored values. */
export type Answers = (comparison: ComparePredicate | PropertyPredicate) => boolean

/**
 * A predicate that the other storage can answer, without computed attributes, and that selects at
 * least what the given one does; with `isUpper` false, at most. The same object if all of it can be
 * answered.
 */
export function storedBound(predicate: Predicate, answers: Answers, isUpper = true): Predicate {
  switch (predicate.kind) {
    case 'compare':
    case 'property':
      return answers(predicate) ? predicate : { kind: 'constant', value: isUpper }
    case 'computed':
      return { kind: 'constant', value: isUpper }
    case 'not': {
      const part = storedBound(predicate.part, answers, !isUpper)
      if (part === predicate.part) return predicate
      return part.kind === 'constant'
        ? { kind: 'constant', value: !part.value }
        : { kind: 'not', part }
    }
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => storedBound(part, answers, isUpper))
      if (parts.every((part, i) => part === predicate.parts[i])) return predicate
      return predicate.kind === 'and' ? both(parts) : either(parts)
    }
    case 'related': {
      const part = storedBound(predicate.part, answers, isUpper)
      return part === predicate.part ? predicate : { ...predicate, part }
    }
    default:
      return predicate
  }
}
