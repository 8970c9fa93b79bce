import { assertNever } from '../errors.ts'
import type { ComparePredicate, Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import { COLLECT_COST, JOIN_COST, RESIDUAL_COST, residualCost, SCAN_COST, selectedShare, sum } from './cost.ts'
import { type IndexRanges, intersectRanges, rangesOf } from './key-range.ts'
import type { FilterPlan, IndexPlan, PhysicalPlan, SemiJoinPlan } from './physical-plan.ts'
import type { Statistics } from './statistics.ts'

/** An index path of so few records is taken as it is: looking for a better one costs more than testing them. */
const FEW_ROWS = 256

/**
 * Chooses how to find the records of a predicate: every way is priced with exact counts and the cheapest taken.
 *
 * Takes   `predicate`: rewritten; `statistics`: counts by rank, no scan.
 * Returns a plan whose records are exactly those the predicate selects.
 * Cost    O(conjuncts^2) plus a count per comparison; no entity is read.
 * Throws  nothing: the scan always applies.
 * Source  Selinger et al., SIGMOD 1979, section 4, with counted instead of assumed selectivity.
 */
export function planQuery(dataClass: ClassModel, predicate: Predicate, statistics: Statistics): PhysicalPlan {
  return bestPlan(dataClass, predicate, { statistics, inner: new Map() })
}

/** Every plan the planner prices for a predicate, in no order of merit. All answer the same. */
export function planAlternatives(dataClass: ClassModel, predicate: Predicate, statistics: Statistics): PhysicalPlan[] {
  return alternatives(dataClass, predicate, { statistics, inner: new Map() }, true)
}

/** One planning: the counts, and the plans of inner queries, which several outer plans ask for. */
interface Planning {
  readonly statistics: Statistics
  readonly inner: Map<Predicate, PhysicalPlan>
}

function bestPlan(dataClass: ClassModel, predicate: Predicate, planning: Planning): PhysicalPlan {
  const plans = alternatives(dataClass, predicate, planning, false)
  let best = plans[0]
  for (const plan of plans) if (plan.cost < best.cost) best = plan
  return best
}

/** The plan of what must hold for the related entity. */
function innerPlan(predicate: RelatedPredicate, planning: Planning): PhysicalPlan {
  let plan = planning.inner.get(predicate)
  if (plan === undefined) {
    plan = bestPlan(predicate.relation.target, predicate.part, planning)
    planning.inner.set(predicate, plan)
  }
  return plan
}

function alternatives(
  dataClass: ClassModel,
  predicate: Predicate,
  planning: Planning,
  isComplete: boolean,
): PhysicalPlan[] {
  const all = planning.statistics.rowCount(dataClass)
  switch (predicate.kind) {
    case 'constant':
      return [predicate.value ? { kind: 'all', dataClass, rows: all, isExact: true, cost: 0 } : none(dataClass)]
    case 'compare':
    case 'related':
    case 'property':
    case 'computed':
    case 'not':
    case 'or': {
      const direct = directPlans(dataClass, predicate, planning)
      const only = direct.length === 1 ? direct[0] : null
      // One index that answers by itself: nothing can beat it, and nothing else need be priced.
      if (!isComplete && only?.kind === 'index' && only.rows * COLLECT_COST < all * SCAN_COST) return direct
      return [scan(dataClass, [predicate], planning), ...direct]
    }
    case 'and':
      return conjunctionPlans(dataClass, predicate.parts, planning, isComplete)
    default:
      return assertNever(predicate)
  }
}

const none = (dataClass: ClassModel): PhysicalPlan => ({ kind: 'none', dataClass, rows: 0, isExact: true, cost: 0 })

/** Ways to answer one predicate without testing every record; empty when there is none. */
function directPlans(dataClass: ClassModel, predicate: Predicate, planning: Planning): PhysicalPlan[] {
  switch (predicate.kind) {
    case 'compare': {
      const ranges = rangesOf(predicate.attribute, predicate.test)
      if (ranges === null) return []
      return indexPlans(dataClass, predicate, predicate.attribute, ranges, planning, [predicate])
    }
    case 'related':
      return [semiJoin(dataClass, predicate, planning)]
    case 'or': {
      const inputs: PhysicalPlan[] = []
      for (const part of predicate.parts) {
        const best = cheapest(
          part.kind === 'and'
            ? conjunctionPlans(dataClass, part.parts, planning, false)
            : directPlans(dataClass, part, planning),
        )
        if (best === null || best.kind === 'scan') return []
        inputs.push(best)
      }
      const rows = Math.min(
        planning.statistics.rowCount(dataClass),
        sum(inputs, (input) => input.rows),
      )
      return [
        {
          kind: 'union',
          dataClass,
          inputs,
          rows,
          isExact: false,
          cost: sum(inputs, (input) => input.cost + input.rows * COLLECT_COST),
        },
      ]
    }
    case 'not': {
      const input = cheapest(directPlans(dataClass, predicate.part, planning))
      if (input === null) return []
      const all = planning.statistics.rowCount(dataClass)
      return [
        {
          kind: 'complement',
          dataClass,
          input,
          rows: all - input.rows,
          isExact: input.isExact,
          cost: input.cost + input.rows * COLLECT_COST + all / 16,
        },
      ]
    }
    default:
      return []
  }
}

function indexPlans(
  dataClass: ClassModel,
  predicate: Predicate,
  attribute: StorageAttribute,
  ranges: IndexRanges,
  planning: Planning,
  covered: readonly Predicate[],
): PhysicalPlan[] {
  const found = planning.statistics.access(attribute, ranges)
  if (found === null) return []
  const plan: IndexPlan = {
    kind: 'index',
    dataClass,
    access: found.access,
    attribute,
    ranges,
    predicate,
    rows: found.rows,
    isExact: ranges.isExact,
    cost: 100 + found.rows * COLLECT_COST,
  }
  return [ranges.isExact ? plan : filter(plan, covered, planning)]
}

function semiJoin(dataClass: ClassModel, predicate: RelatedPredicate, planning: Planning): SemiJoinPlan {
  const { relation } = predicate
  const inner = innerPlan(predicate, planning)
  const isToOne = relation.kind === 'relatedEntity'
  const all = planning.statistics.rowCount(dataClass)
  const joined = isToOne ? inner.rows * planning.statistics.fanOut(relation) : inner.rows
  const rows = Math.min(all, Math.ceil(joined) + (predicate.whenMissing ? all / 8 : 0))
  return {
    kind: 'semiJoin',
    dataClass,
    relation,
    direction: isToOne ? 'forward' : 'backward',
    inner,
    whenMissing: predicate.whenMissing,
    predicate,
    rows,
    isExact: false,
    cost: inner.cost + inner.rows * JOIN_COST + rows * COLLECT_COST,
  }
}

/**
 * Plans of an AND. Comparisons of one attribute are one range; each access path is tried alone with the rest as a residual, and
 * the cheapest one intersected with further ones while that costs less than testing them.
 */
function conjunctionPlans(
  dataClass: ClassModel,
  conjuncts: readonly Predicate[],
  planning: Planning,
  isComplete: boolean,
): PhysicalPlan[] {
  if (!isComplete) {
    const point = fewByPoint(dataClass, conjuncts, planning)
    if (point !== null) return [point]
  }
  const paths = accessPaths(dataClass, conjuncts, planning)
  if (!isComplete) {
    for (const path of paths) {
      if (path.plan.kind === 'index' && path.plan.rows <= FEW_ROWS) {
        return [withResidual(path.plan, rest(conjuncts, path.covers), planning)]
      }
    }
  }
  const plans: PhysicalPlan[] = [scan(dataClass, conjuncts, planning)]
  for (const path of paths) plans.push(withResidual(path.plan, rest(conjuncts, path.covers), planning))
  if (paths.length < 2) return plans
  // Intersections: from the narrowest path on, add the path that saves most against testing its conjuncts.
  const byRows = [...paths].sort((a, b) => a.plan.rows - b.plan.rows)
  let inputs = [byRows[0]]
  for (const next of byRows.slice(1)) {
    if (next.covers.every((conjunct) => inputs.some((input) => input.covers.includes(conjunct)))) continue
    inputs = [...inputs, next]
    const covered = inputs.flatMap((input) => input.covers)
    plans.push(withResidual(intersect(dataClass, inputs, planning), rest(conjuncts, covered), planning))
  }
  return plans
}

/** An equality that an index answers with few records: taken at once, nothing else is priced. */
function fewByPoint(dataClass: ClassModel, conjuncts: readonly Predicate[], planning: Planning): PhysicalPlan | null {
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'compare' || conjunct.test.op !== 'equal') continue
    const ranges = rangesOf(conjunct.attribute, conjunct.test)
    if (ranges === null) continue
    const [plan] = indexPlans(dataClass, conjunct, conjunct.attribute, ranges, planning, [conjunct])
    if (plan === undefined || plan.rows > FEW_ROWS) continue
    return withResidual(plan, rest(conjuncts, [conjunct]), planning)
  }
  return null
}

interface AccessPath {
  readonly plan: PhysicalPlan
  /** The conjuncts the plan answers exactly. */
  readonly covers: readonly Predicate[]
}

function accessPaths(dataClass: ClassModel, conjuncts: readonly Predicate[], planning: Planning): AccessPath[] {
  const paths: AccessPath[] = []
  const byAttribute = new Map<StorageAttribute, { ranges: IndexRanges; covers: ComparePredicate[] }>()
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'compare') {
      for (const plan of directPlans(dataClass, conjunct, planning)) paths.push({ plan, covers: [conjunct] })
      continue
    }
    const ranges = rangesOf(conjunct.attribute, conjunct.test)
    if (ranges === null) continue
    const group = byAttribute.get(conjunct.attribute)
    if (group === undefined) byAttribute.set(conjunct.attribute, { ranges, covers: [conjunct] })
    else {
      group.ranges = intersectRanges(group.ranges, ranges)
      group.covers.push(conjunct)
    }
  }
  for (const [attribute, { ranges, covers }] of byAttribute) {
    const predicate: Predicate = covers.length === 1 ? covers[0] : { kind: 'and', parts: covers }
    for (const plan of indexPlans(dataClass, predicate, attribute, ranges, planning, covers))
      paths.push({ plan, covers })
  }
  return paths
}

function intersect(dataClass: ClassModel, paths: readonly AccessPath[], planning: Planning): PhysicalPlan {
  const inputs = paths.map((path) => path.plan)
  const all = Math.max(1, planning.statistics.rowCount(dataClass))
  let rows = all
  for (const input of inputs) rows *= input.rows / all
  const cost = sum(inputs, (input) => input.cost + input.rows * COLLECT_COST) + all / 32
  return { kind: 'intersect', dataClass, inputs, rows: Math.ceil(rows), isExact: false, cost }
}

const rest = (conjuncts: readonly Predicate[], covered: readonly Predicate[]): Predicate[] =>
  conjuncts.filter((conjunct) => !covered.includes(conjunct))

function withResidual(plan: PhysicalPlan, residual: readonly Predicate[], planning: Planning): PhysicalPlan {
  return residual.length === 0 ? plan : filter(plan, residual, planning)
}

function filter(input: PhysicalPlan, residual: readonly Predicate[], planning: Planning): FilterPlan {
  if (input.rows <= FEW_ROWS) {
    const cost = input.cost + input.rows * 10 * residual.length
    return {
      kind: 'filter',
      dataClass: input.dataClass,
      input,
      residual: cheapestFirst(residual, planning),
      rows: input.rows,
      isExact: false,
      cost,
    }
  }
  const ordered = mostSelectiveFirst(residual, planning)
  let rows = input.rows
  let cost = input.cost
  for (const predicate of ordered) {
    cost += setUpCost(predicate, planning) + rows * residualCost(predicate, planning.statistics)
    rows *= selectedShare(predicate, planning.statistics)
  }
  return {
    kind: 'filter',
    dataClass: input.dataClass,
    input,
    residual: ordered,
    rows: Math.ceil(rows),
    isExact: false,
    cost,
  }
}

function scan(dataClass: ClassModel, residual: readonly Predicate[], planning: Planning): PhysicalPlan {
  const ordered = mostSelectiveFirst(residual, planning)
  const all = planning.statistics.rowCount(dataClass)
  let rows = all
  let cost = 500
  for (let i = 0; i < ordered.length; i++) {
    const perRow = residualCost(ordered[i], planning.statistics)
    cost += setUpCost(ordered[i], planning) + rows * (i === 0 && perRow <= RESIDUAL_COST.word ? SCAN_COST : perRow)
    rows *= selectedShare(ordered[i], planning.statistics)
  }
  return { kind: 'scan', dataClass, residual: ordered, rows: Math.ceil(rows), isExact: false, cost }
}

/** Orders residual predicates by what each costs per record it removes. */
function mostSelectiveFirst(residual: readonly Predicate[], planning: Planning): readonly Predicate[] {
  if (residual.length < 2) return residual
  const rank = (predicate: Predicate): number =>
    residualCost(predicate, planning.statistics) / Math.max(0.01, 1.01 - selectedShare(predicate, planning.statistics))
  return residual
    .map((predicate) => ({ predicate, rank: rank(predicate) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ predicate }) => predicate)
}

function cheapestFirst(residual: readonly Predicate[], planning: Planning): readonly Predicate[] {
  return residual.length < 2
    ? residual
    : [...residual].sort((a, b) => residualCost(a, planning.statistics) - residualCost(b, planning.statistics))
}

/** What must be paid once before the first record is tested: the inner query of a relation, a look at each word. */
function setUpCost(predicate: Predicate, planning: Planning): number {
  switch (predicate.kind) {
    case 'related': {
      const inner = innerPlan(predicate, planning)
      return inner.cost + inner.rows * COLLECT_COST
    }
    case 'not':
      return setUpCost(predicate.part, planning)
    case 'and':
    case 'or':
      return sum(predicate.parts, (part) => setUpCost(part, planning))
    default:
      return 0
  }
}

function cheapest(plans: readonly PhysicalPlan[]): PhysicalPlan | null {
  let best: PhysicalPlan | null = null
  for (const plan of plans) if (best === null || plan.cost < best.cost) best = plan
  return best
}
