import { both, either } from '../filter/draft.ts'
import type { Predicate } from '../filter/predicate.ts'

/**
 * A predicate without computed attributes that selects at least what the given one does; with
 * `isUpper` false, at most. The same object if there is no computed attribute in it.
 */
export function storedBound(predicate: Predicate, isUpper = true): Predicate {
  switch (predicate.kind) {
    case 'computed':
      return { kind: 'constant', value: isUpper }
    case 'not': {
      const part = storedBound(predicate.part, !isUpper)
      if (part === predicate.part) return predicate
      return part.kind === 'constant'
        ? { kind: 'constant', value: !part.value }
        : { kind: 'not', part }
    }
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => storedBound(part, isUpper))
      if (parts.every((part, i) => part === predicate.parts[i])) return predicate
      return predicate.kind === 'and' ? both(parts) : either(parts)
    }
    case 'related': {
      const part = storedBound(predicate.part, isUpper)
      return part === predicate.part ? predicate : { ...predicate, part }
    }
    default:
      return predicate
  }
}
