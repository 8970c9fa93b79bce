import type { Predicate } from '../filter/predicate.ts'
import { inputsOf, type PhysicalPlan } from './physical-plan.ts'

/**
 * The comparisons that a plan answers by an index: the very objects of its predicate. Cost:
 * O(plan).
 */
export function indexedComparisons(plan: PhysicalPlan): ReadonlySet<Predicate> {
  const found = new Set<Predicate>()
  gather(plan, found)
  return found
}

function gather(plan: PhysicalPlan, found: Set<Predicate>): void {
  if (plan.kind === 'index') {
    const { predicate } = plan
    // Comparisons of one attribute are one range.
    for (const part of predicate.kind === 'and' ? predicate.parts : [predicate]) found.add(part)
  }
  if (plan.kind === 'complement' && plan.answers !== undefined) found.add(plan.answers)
  for (const input of inputsOf(plan)) gather(input, found)
}
