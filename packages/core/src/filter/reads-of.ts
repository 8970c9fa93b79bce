import { assertNever } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { OrderBy, Predicate } from './predicate.ts'

/**
 * The dataclasses of which a predicate about one of them, with an order, reads entities; null where that cannot be told: what computes an
 * attribute may read any.
 */
export function readsOf(
  dataClass: ClassModel,
  predicate: Predicate,
  orderBy: OrderBy | null,
): ReadonlySet<ClassModel> | null {
  const reads = new Set([dataClass])
  if (!addReads(predicate, reads)) return null
  for (const { steps, attribute } of orderBy ?? []) {
    if (attribute.kind === 'calculated') return null
    for (const { target } of steps) reads.add(target)
  }
  return reads
}

function addReads(predicate: Predicate, reads: Set<ClassModel>): boolean {
  switch (predicate.kind) {
    case 'constant':
    case 'compare':
    case 'property':
      return true
    case 'computed':
      return false
    case 'related':
      reads.add(predicate.relation.target)
      return addReads(predicate.part, reads)
    case 'not':
      return addReads(predicate.part, reads)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addReads(part, reads))
    default:
      return assertNever(predicate)
  }
}
