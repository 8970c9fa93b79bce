import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import {
  COLLECT_COST,
  type Counts,
  JOIN_COST,
  RESIDUAL_COST,
  residualCost,
  SCAN_COST,
  type Statistics,
  selectedShare,
  sum,
} from './cost.ts'
import { isShort } from './fast-paths.ts'
import {
  type FilterPlan,
  type IndexAccess,
  IndexPlan,
  type IndexSource,
  isSingleAccess,
  type PhysicalPlan,
  type SemiJoinPlan,
  type Sought,
} from './physical-plan.ts'

// Creates operators with their rows and prices.

/**
 * One run of the planner: the counts, and the plans of inner queries, which several outer plans
 * share.
 */
export interface Planning {
  readonly statistics: Statistics
  /** The plan of the condition on the related entity; planned once. */
  innerPlan(predicate: RelatedPredicate): PhysicalPlan
}

/** The plan of a constant: every record, or none. */
export const constant = (dataClass: ClassModel, value: boolean, counts: Counts): PhysicalPlan => ({
  kind: value ? 'all' : 'none',
  dataClass,
  rows: value ? counts.rowCount(dataClass) : 0,
  isExact: true,
  cost: 0,
})

export function indexPlans(
  dataClass: ClassModel,
  predicate: Predicate,
  attribute: StorageAttribute,
  ranges: Sought,
  planning: Planning,
  covered: readonly Predicate[],
): PhysicalPlan[] {
  const found = planning.statistics.access(attribute, ranges)
  if (found === null) return []
  const plan = indexPlan(dataClass, attribute, found, ranges.isExact, { predicate, ranges })
  return [ranges.isExact ? plan : ofRange(plan, covered, planning)]
}

/**
 * Tests the records of an inexact range. Most pass: a text with the prefix of a pattern mostly
 * matches the pattern.
 */
function ofRange(
  input: IndexPlan,
  residual: readonly Predicate[],
  { statistics }: Planning,
): FilterPlan {
  const { dataClass, rows } = input
  const cost = input.cost + rows * sum(residual, (predicate) => residualCost(predicate, statistics))
  return { kind: 'filter', dataClass, input, residual, rows, isExact: false, cost }
}

/** The plan of an index access. `isExact`: its ranges are exact. */
export function indexPlan(
  dataClass: ClassModel,
  attribute: StorageAttribute,
  found: IndexAccess,
  isExact: boolean,
  source: IndexSource,
): IndexPlan {
  const cost = 100 + found.rows * COLLECT_COST
  return new IndexPlan(dataClass, attribute, found, isExact, cost, source)
}

export function semiJoin(
  dataClass: ClassModel,
  predicate: RelatedPredicate,
  planning: Planning,
): SemiJoinPlan {
  const { relation } = predicate
  const inner = planning.innerPlan(predicate)
  const isToOne = relation.kind === 'relatedEntity'
  const all = planning.statistics.rowCount(dataClass)
  // A short inner query is cheaper to run now than a join is to misjudge.
  const isCounted = isToOne && isSingleAccess(inner) && isShort(inner)
  const places = isCounted ? planning.statistics.joinPlaces(predicate, inner) : null
  const joined = isToOne ? inner.rows * planning.statistics.fanOut(relation) : inner.rows
  const rows =
    places?.rows ?? Math.min(all, Math.ceil(joined) + (predicate.whenMissing ? all / 8 : 0))
  return {
    kind: 'semiJoin',
    dataClass,
    relation,
    direction: isToOne ? 'forward' : 'backward',
    inner,
    whenMissing: predicate.whenMissing,
    predicate,
    places,
    rows,
    isExact: places !== null,
    cost: inner.cost + inner.rows * JOIN_COST + rows * COLLECT_COST,
  }
}

export function intersect(
  dataClass: ClassModel,
  inputs: readonly PhysicalPlan[],
  planning: Planning,
): PhysicalPlan {
  const all = Math.max(1, planning.statistics.rowCount(dataClass))
  let rows = all
  for (const input of inputs) rows *= input.rows / all
  const cost = sum(inputs, (input) => input.cost + input.rows * COLLECT_COST) + all / 32
  return { kind: 'intersect', dataClass, inputs, rows: Math.ceil(rows), isExact: false, cost }
}

export function withResidual(
  plan: PhysicalPlan,
  residual: readonly Predicate[],
  planning: Planning,
): PhysicalPlan {
  return residual.length === 0 ? plan : filter(plan, residual, planning)
}

function filter(
  input: PhysicalPlan,
  residual: readonly Predicate[],
  planning: Planning,
): FilterPlan {
  const { dataClass } = input
  let { rows, cost } = input
  if (isShort(input)) {
    cost += rows * 10 * residual.length
    const ordered = rows === 0 ? residual : cheapestFirst(residual, planning)
    return { kind: 'filter', dataClass, input, residual: ordered, rows, isExact: false, cost }
  }
  const ordered = mostSelectiveFirst(residual, planning)
  for (const predicate of ordered) {
    cost += setUpCost(predicate, planning) + rows * residualCost(predicate, planning.statistics)
    rows *= selectedShare(predicate, planning.statistics)
  }
  rows = Math.ceil(rows)
  return { kind: 'filter', dataClass, input, residual: ordered, rows, isExact: false, cost }
}

export function scan(
  dataClass: ClassModel,
  residual: readonly Predicate[],
  planning: Planning,
): PhysicalPlan {
  const ordered = mostSelectiveFirst(residual, planning)
  const all = planning.statistics.rowCount(dataClass)
  let rows = all
  let cost = 500
  for (let i = 0; i < ordered.length; i++) {
    const perRow = residualCost(ordered[i], planning.statistics)
    cost +=
      setUpCost(ordered[i], planning) +
      rows * (i === 0 && perRow <= RESIDUAL_COST.word ? SCAN_COST : perRow)
    rows *= selectedShare(ordered[i], planning.statistics)
  }
  return { kind: 'scan', dataClass, residual: ordered, rows: Math.ceil(rows), isExact: false, cost }
}

/** Orders residual predicates by their cost per removed record. */
function mostSelectiveFirst(
  residual: readonly Predicate[],
  planning: Planning,
): readonly Predicate[] {
  if (residual.length < 2) return residual
  const rank = (predicate: Predicate): number =>
    residualCost(predicate, planning.statistics) /
    Math.max(0.01, 1.01 - selectedShare(predicate, planning.statistics))
  return residual
    .map((predicate) => ({ predicate, rank: rank(predicate) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ predicate }) => predicate)
}

function cheapestFirst(
  residual: readonly Predicate[],
  { statistics }: Planning,
): readonly Predicate[] {
  let last = 0
  for (let i = 0; i < residual.length; i++) {
    const cost = residualCost(residual[i], statistics)
    if (cost < last)
      return [...residual].sort((a, b) => residualCost(a, statistics) - residualCost(b, statistics))
    last = cost
  }
  return residual
}

/** The cost before the first test: the inner query of a relation. */
function setUpCost(predicate: Predicate, planning: Planning): number {
  switch (predicate.kind) {
    case 'related': {
      const inner = planning.innerPlan(predicate)
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
