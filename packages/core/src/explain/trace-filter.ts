import { runPlan, semiJoin } from '../execute/run-plan.ts'
import { EVERYTHING } from '../filter/draft.ts'
import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { ConditionNode, ConditionTrace, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import { type ConditionSources, conditionOf, type IsIndexed } from '../plan/condition.ts'
import { indexedComparisons } from '../plan/indexed-comparisons.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { countOf, difference, EMPTY_SET, intersection, type RecordSet, union } from '../storage/record-set.ts'

/**
 * Runs a filter condition by condition and tells what each found and how long it took. Every condition is planned and run by
 * itself and then put together with its neighbours, so this costs more than the query: the sum of its parts, none of which is
 * narrowed by another. Of an AND, what follows a part that finds nothing is not run. Counts are of entities the reader may see.
 */
export function traceFilter(
  port: SelectionPort,
  dataClass: ClassModel,
  filter: string,
  params: unknown,
  options?: QueryOptions,
): FilterTrace {
  port.moment.enter()
  const { predicate, asked } = port.binder.bindFilter(dataClass, filter, params, options)
  const sources: ConditionSources = new Map()
  const told = asked === undefined ? predicate : asked()
  // Each is planned by itself, as it is run.
  const isIndexed: IsIndexed = (each) =>
    !port.scope.restrictsRows && indexedComparisons(port.planner.planOf(each.attribute.owner, each)).has(each)
  const condition = conditionOf(dataClass, told, port.planner.statistics, sources, isIndexed)
  const root = condition === null ? null : new Tracer(port, sources).run(dataClass, condition).step
  return { dataClass: dataClass.name, filter, root }
}

/** The records of a condition, and what is told of finding them. */
interface Outcome {
  readonly set: RecordSet
  readonly step: ConditionTrace
}

interface CarriedOut {
  readonly set: RecordSet
  readonly steps: readonly ConditionTrace[]
}

class Tracer {
  readonly #port: SelectionPort
  readonly #sources: ConditionSources

  constructor(port: SelectionPort, sources: ConditionSources) {
    this.#port = port
    this.#sources = sources
  }

  run(dataClass: ClassModel, condition: ConditionNode): Outcome {
    const start = this.#port.planner.monotonic()
    const { set: all, steps } = this.#carryOut(dataClass, condition, this.#sources.get(condition) ?? EVERYTHING)
    const set = this.#seen(dataClass, all)
    const found = countOf(set)
    const milliseconds = this.#port.planner.monotonic() - start
    return { set, step: { condition: this.#port.scope.shownCondition(condition), found, milliseconds, steps } }
  }

  #carryOut(dataClass: ClassModel, condition: ConditionNode, predicate: Predicate): CarriedOut {
    const { allocator } = this.#port.database
    switch (condition.kind) {
      case 'and': {
        const parts = this.#conjuncts(dataClass, condition.parts)
        const steps = parts.map(({ step }) => step)
        // Of criteria about one element of a collection, each may be satisfied by another one.
        const set =
          predicate.kind === 'and'
            ? parts.map((part) => part.set).reduce((kept, next) => intersection(kept, next, allocator))
            : this.#select(dataClass, predicate)
        return { set, steps }
      }
      case 'or': {
        const parts = condition.parts.map((part) => this.run(dataClass, part))
        const set = parts.reduce<RecordSet>((kept, part) => union(kept, part.set, allocator), EMPTY_SET)
        return { set, steps: parts.map(({ step }) => step) }
      }
      case 'not': {
        const { set: inner, step } = this.run(dataClass, condition.part)
        // "No element" is not said of what has no elements.
        const set =
          predicate.kind === 'not'
            ? difference(this.#select(dataClass, EVERYTHING), inner, allocator)
            : this.#select(dataClass, predicate)
        return { set, steps: [step] }
      }
      case 'join': {
        const { relation, whenMissing } = predicate as RelatedPredicate
        const { set: inner, step } = this.run(relation.target, condition.part)
        const right = whenMissing ? union(inner, this.#hidden(relation.target), allocator) : inner
        const set = semiJoin({ relation, whenMissing }, right, this.#port.database)
        return {
          set: whenMissing && this.#port.moment.isProvisional ? this.#withDangling(set, relation) : set,
          steps: [step],
        }
      }
      case 'comparison':
        return { set: this.#select(dataClass, predicate), steps: [] }
    }
  }

  /** Also the records whose relation leads to nothing, and not because it is empty. */
  #withDangling(set: RecordSet, relation: RelationAttribute): RecordSet {
    const { database } = this.#port
    const targets = this.#select(relation.target, EVERYTHING)
    const leading = semiJoin({ relation, whenMissing: true }, targets, database)
    const dangling = difference(this.#select(relation.owner, EVERYTHING), leading, database.allocator)
    return union(set, dangling, database.allocator)
  }

  /** At least one, unless there is none to be run. */
  #conjuncts(dataClass: ClassModel, parts: readonly ConditionNode[]): readonly Outcome[] {
    const outcomes: Outcome[] = []
    for (const part of parts) {
      const outcome = this.run(dataClass, part)
      outcomes.push(outcome)
      if (outcome.step.found === 0) break
    }
    return outcomes
  }

  #select(dataClass: ClassModel, predicate: Predicate): RecordSet {
    return runPlan(this.#port.planner.planOf(dataClass, predicate), this.#port.database)
  }

  #seen(dataClass: ClassModel, set: RecordSet): RecordSet {
    const { database } = this.#port
    const visible = database.visibleIn(dataClass)
    return visible === null ? set : intersection(set, visible.set(), database.allocator)
  }

  /** Entities that are as if they were missing. */
  #hidden(dataClass: ClassModel): RecordSet {
    const { database } = this.#port
    const visible = database.visibleIn(dataClass)
    if (visible === null) return EMPTY_SET
    return difference(this.#select(dataClass, EVERYTHING), visible.set(), database.allocator)
  }
}
