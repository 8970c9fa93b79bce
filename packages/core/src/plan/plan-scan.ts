import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { rest } from './access-paths.ts'
import { rangesOf } from './key-range.ts'
import { all, none } from './operators.ts'
import { IndexPlan, type PhysicalPlan } from './physical-plan.ts'
import type { Counts } from './statistics.ts'

/**
 * The plan of a store without the capability `indexes`: the records of a key, a unique value or a
 * foreign key are looked up, and all else is scanned. Nothing is priced. Cost: O(conjuncts).
 */
export function planScan(
  dataClass: ClassModel,
  predicate: Predicate,
  counts: Counts,
): PhysicalPlan {
  const rows = counts.rowCount(dataClass)
  if (predicate.kind === 'constant') return predicate.value ? all(dataClass, rows) : none(dataClass)
  const conjuncts = predicate.kind === 'and' ? predicate.parts : [predicate]
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'compare') continue
    const { attribute, test } = conjunct
    const ranges = rangesOf(attribute, test)
    const found = ranges?.isExact ? counts.access(attribute, ranges) : null
    if (ranges === null || found === null) continue
    const source = { predicate: conjunct, ranges }
    const input = new IndexPlan(dataClass, attribute, found, true, 0, source)
    if (conjuncts.length === 1) return input
    const residual = rest(conjuncts, [conjunct])
    return { kind: 'filter', dataClass, input, residual, rows: found.rows, isExact: false, cost: 0 }
  }
  return { kind: 'scan', dataClass, residual: conjuncts, rows, isExact: false, cost: 0 }
}
