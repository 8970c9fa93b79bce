import type { ComparePredicate, Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { Counts } from './cost.ts'
import { isPointTest, isShort } from './fast-paths.ts'
import { rangesOf } from './key-range.ts'
import { constant, indexPlans, intersect, type Planning, withResidual } from './operators.ts'
import { bothSought, IndexPlan, type PhysicalPlan, type Sought, soughtOf } from './physical-plan.ts'

/** A plan that finds the records of some conjuncts of an AND without testing every record. */
export interface AccessPath {
  readonly plan: PhysicalPlan
  /** The conjuncts that the plan answers exactly. */
  readonly covers: readonly Predicate[]
}

/** An equality that an index answers with a short list: nothing else is priced. */
export function pointPlan(
  dataClass: ClassModel,
  conjuncts: readonly Predicate[],
  planning: Planning,
): PhysicalPlan | null {
  for (const conjunct of conjuncts) {
    if (!isPointTest(conjunct)) continue
    const ranges = rangesOf(conjunct.attribute, conjunct.test)
    if (ranges === null) continue
    const [plan] = indexPlans(dataClass, conjunct, conjunct.attribute, ranges, planning, [conjunct])
    if (plan === undefined || !isShort(plan)) continue
    return withResidual(plan, rest(conjuncts, [conjunct]), planning)
  }
  return null
}

/**
 * The access paths of comparisons. Those of one attribute are one range; those of its words are one
 * search.
 */
export function comparisonPaths(
  dataClass: ClassModel,
  comparisons: readonly ComparePredicate[],
  planning: Planning,
): AccessPath[] {
  const byRange = new Map<StorageAttribute, Group>()
  const byWords = new Map<StorageAttribute, Group>()
  for (const comparison of comparisons) {
    const { attribute } = comparison
    const sought = soughtOf(attribute, comparison.test)
    if (sought === null) continue
    const groups = sought.kind === 'words' ? byWords : byRange
    const group = groups.get(attribute)
    if (group === undefined) groups.set(attribute, { sought, covers: [comparison] })
    else {
      group.sought = bothSought(group.sought, sought)
      group.covers.push(comparison)
    }
  }
  const paths: AccessPath[] = []
  for (const groups of [byRange, byWords])
    for (const [attribute, { sought, covers }] of groups) {
      const predicate: Predicate = covers.length === 1 ? covers[0] : { kind: 'and', parts: covers }
      for (const plan of indexPlans(dataClass, predicate, attribute, sought, planning, covers))
        paths.push({ plan, covers })
    }
  return paths
}

/** Comparisons of one attribute that one index answers. */
interface Group {
  sought: Sought
  readonly covers: ComparePredicate[]
}

/**
 * Plans that intersect several access paths: from the narrowest path on, they add one path after
 * the other.
 */
export function intersections(
  dataClass: ClassModel,
  conjuncts: readonly Predicate[],
  paths: readonly AccessPath[],
  planning: Planning,
): PhysicalPlan[] {
  const plans: PhysicalPlan[] = []
  if (paths.length < 2) return plans
  const byRows = [...paths].sort((a, b) => a.plan.rows - b.plan.rows)
  let inputs = [byRows[0]]
  for (const next of byRows.slice(1)) {
    if (next.covers.every((conjunct) => inputs.some((input) => input.covers.includes(conjunct))))
      continue
    inputs = [...inputs, next]
    const covered = inputs.flatMap((input) => input.covers)
    plans.push(
      withResidual(
        intersect(
          dataClass,
          inputs.map(({ plan }) => plan),
          planning,
        ),
        rest(conjuncts, covered),
        planning,
      ),
    )
  }
  return plans
}

/** The conjuncts that a plan does not answer. */
export const rest = (conjuncts: readonly Predicate[], covered: readonly Predicate[]): Predicate[] =>
  conjuncts.filter((conjunct) => !covered.includes(conjunct))

/**
 * The plan of a store without the capability `indexes`: the records of a key, a unique value or a
 * foreign key are looked up, and all else is scanned. Nothing is priced. Cost: O(conjuncts).
 */
export function planScan(
  dataClass: ClassModel,
  predicate: Predicate,
  counts: Counts,
): PhysicalPlan {
  if (predicate.kind === 'constant') return constant(dataClass, predicate.value, counts)
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
  const rows = counts.rowCount(dataClass)
  return { kind: 'scan', dataClass, residual: conjuncts, rows, isExact: false, cost: 0 }
}
