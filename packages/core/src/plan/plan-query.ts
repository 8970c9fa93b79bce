import { assertNever } from '../errors.ts'
import type { ComparePredicate, Predicate, RelatedPredicate, Test } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { type AccessPath, comparisonPaths, intersections, pointPlan, rest } from './access-paths.ts'
import { COLLECT_COST, type Statistics, sum } from './cost.ts'
import { isShortAccess, isShortJoin, soleAttribute } from './fast-paths.ts'
import {
  constant,
  indexPlan,
  indexPlans,
  type Planning,
  scan,
  semiJoin,
  withResidual,
} from './operators.ts'
import { exactSought, type IndexPlan, type PhysicalPlan, soughtOf } from './physical-plan.ts'
import type { RangeFilter } from './range-filter.ts'

/**
 * Chooses how to find the records of a predicate: prices every plan with exact counts and takes the
 * cheapest. `fast-paths.ts` lists the cases in which it stops earlier.
 *
 * Takes   `predicate`: rewritten; `statistics`: counts by rank, no scan.
 * Returns a plan whose records are exactly those the predicate selects.
 * Cost    O(conjuncts^2) plus a count per comparison; no entity is read.
 * Throws  nothing: the scan always applies.
 * Source  Selinger et al., SIGMOD 1979, section 4, with counted instead of assumed selectivity.
 */
export function planQuery(
  dataClass: ClassModel,
  predicate: Predicate,
  statistics: Statistics,
): PhysicalPlan {
  return (
    soleAccess(dataClass, predicate, statistics) ??
    bestPlan(dataClass, predicate, new Planner(statistics))
  )
}

/**
 * The plan of comparisons that are all about one attribute, if its index answers them exactly; else
 * null. No other plan is priced: the index gives the count and pages by rank, however many records
 * there are.
 */
function soleAccess(
  dataClass: ClassModel,
  predicate: Predicate,
  statistics: Statistics,
): PhysicalPlan | null {
  const attribute = soleAttribute(predicate)
  if (attribute === null) return null
  const ranges = exactSought(attribute, predicate)
  const found = ranges === null ? null : statistics.access(attribute, ranges)
  if (ranges === null || found === null) return null
  return indexPlan(dataClass, attribute, found, true, { predicate, ranges })
}

/**
 * The plan of a filter that is one range; null if no index answers it. The filter's template must
 * hold the values of this filter: they are the last that it read.
 */
export function planRange(filter: RangeFilter, statistics: Statistics): IndexPlan | null {
  const { template, dataClass } = filter
  const found = statistics.rangeAccess(template)
  if (found === null) return null
  return indexPlan(dataClass, template.attribute, found, true, filter)
}

/** Every plan that the planner prices for a predicate, unordered. All give the same records. */
export function planAlternatives(
  dataClass: ClassModel,
  predicate: Predicate,
  statistics: Statistics,
): PhysicalPlan[] {
  return alternatives(dataClass, predicate, new Planner(statistics), true)
}

class Planner implements Planning {
  readonly statistics: Statistics
  #plans: Map<RelatedPredicate, PhysicalPlan> | null = null

  constructor(statistics: Statistics) {
    this.statistics = statistics
  }

  innerPlan(predicate: RelatedPredicate): PhysicalPlan {
    let plan = this.#plans?.get(predicate)
    if (plan === undefined) {
      const { relation, part } = predicate
      plan =
        soleAccess(relation.target, part, this.statistics) ?? bestPlan(relation.target, part, this)
      this.#plans ??= new Map()
      this.#plans.set(predicate, plan)
    }
    return plan
  }
}

function bestPlan(dataClass: ClassModel, predicate: Predicate, planning: Planning): PhysicalPlan {
  // There is at least one.
  return cheapest(alternatives(dataClass, predicate, planning, false)) as PhysicalPlan
}

function alternatives(
  dataClass: ClassModel,
  predicate: Predicate,
  planning: Planning,
  isComplete: boolean,
): PhysicalPlan[] {
  switch (predicate.kind) {
    case 'constant':
      return [constant(dataClass, predicate.value, planning.statistics)]
    case 'and':
      return conjunctionPlans(dataClass, predicate.parts, planning, isComplete)
    case 'compare':
    case 'related':
    case 'property':
    case 'computed':
    case 'not':
    case 'or':
      return [
        scan(dataClass, [predicate], planning),
        ...directPlans(dataClass, predicate, planning),
      ]
    default:
      return assertNever(predicate)
  }
}

/** Plans for one predicate that do not test every record. */
function directPlans(
  dataClass: ClassModel,
  predicate: Predicate,
  planning: Planning,
): PhysicalPlan[] {
  switch (predicate.kind) {
    case 'compare': {
      if (predicate.test.op === 'notLike')
        return complements(dataClass, nullOrLike(predicate), planning, predicate)
      const ranges = soughtOf(predicate.attribute, predicate.test)
      if (ranges === null) return []
      return indexPlans(dataClass, predicate, predicate.attribute, ranges, planning, [predicate])
    }
    case 'related':
      // A foreign key that is not null may refer to nothing, so its null entries are not all
      // missing relations.
      return predicate.whenMissing && planning.statistics.mayDangle
        ? []
        : [semiJoin(dataClass, predicate, planning)]
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
    case 'not':
      return complements(dataClass, predicate.part, planning)
    default:
      return []
  }
}

/**
 * The complement of a predicate, if a plan finds that without testing every record. `answers` is
 * the comparison that it answers.
 */
function complements(
  dataClass: ClassModel,
  part: Predicate,
  planning: Planning,
  answers?: Predicate,
): PhysicalPlan[] {
  const input = cheapest(directPlans(dataClass, part, planning))
  if (input === null) return []
  const all = planning.statistics.rowCount(dataClass)
  return [
    {
      kind: 'complement',
      dataClass,
      input,
      answers,
      rows: all - input.rows,
      isExact: input.isExact,
      cost: input.cost + input.rows * COLLECT_COST + all / 16,
    },
  ]
}

/**
 * Plans of an AND. Comparisons of one attribute are one range. Each access path is tried alone,
 * with the rest as a residual, and in intersections with the others.
 */
function conjunctionPlans(
  dataClass: ClassModel,
  conjuncts: readonly Predicate[],
  planning: Planning,
  isComplete: boolean,
): PhysicalPlan[] {
  if (!isComplete) {
    const point = pointPlan(dataClass, conjuncts, planning)
    if (point !== null) return [point]
  }
  const paths = accessPaths(dataClass, conjuncts, planning)
  if (!isComplete) {
    const short =
      paths.find(({ plan }) => isShortAccess(plan)) ?? paths.find(({ plan }) => isShortJoin(plan))
    if (short !== undefined)
      return [withResidual(short.plan, rest(conjuncts, short.covers), planning)]
  }
  const plans: PhysicalPlan[] = [scan(dataClass, conjuncts, planning)]
  for (const path of paths)
    plans.push(withResidual(path.plan, rest(conjuncts, path.covers), planning))
  plans.push(...intersections(dataClass, conjuncts, paths, planning))
  return plans
}

/** How an index or a relation can find the records of a conjunction. */
function accessPaths(
  dataClass: ClassModel,
  conjuncts: readonly Predicate[],
  planning: Planning,
): AccessPath[] {
  const paths: AccessPath[] = []
  const comparisons: ComparePredicate[] = []
  for (const conjunct of conjuncts) {
    if (conjunct.kind === 'compare') comparisons.push(conjunct)
    else
      for (const plan of directPlans(dataClass, conjunct, planning))
        paths.push({ plan, covers: [conjunct] })
  }
  for (const path of comparisonPaths(dataClass, comparisons, planning)) paths.push(path)
  return paths
}

/** The negation of `!= 'a@b'`. An index answers both parts. */
function nullOrLike(predicate: ComparePredicate): Predicate {
  const test = { ...predicate.test, op: 'like' } as Test
  return {
    kind: 'or',
    parts: [
      { ...predicate, test: { op: 'isNull' } },
      { ...predicate, test },
    ],
  }
}

function cheapest(plans: readonly PhysicalPlan[]): PhysicalPlan | null {
  let best: PhysicalPlan | null = null
  for (const plan of plans) if (best === null || plan.cost < best.cost) best = plan
  return best
}
