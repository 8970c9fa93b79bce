import { semiJoin } from '../execute/narrowed-set.ts'
import { EVERYTHING } from '../filter/context.ts'
import type { Predicate, RelatedPredicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { ConditionNode, ConditionTrace, FilterTrace } from '../model/explain-types.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import { type ConditionSources, conditionOf, type IsIndexed } from '../plan/condition.ts'
import { indexedComparisons } from '../plan/physical-plan.ts'
import {
  countOf,
  difference,
  EMPTY_SET,
  intersection,
  type RecordSet,
  union,
} from '../storage/record-set.ts'
import type { SelectionPort } from './selection-port.ts'

/**
 * Runs a filter condition by condition, and reports what each found and how long it took. Every
 * condition is planned and run by itself, and no condition narrows another, so this costs more than
 * the query. The parts of an AND behind one that finds nothing do not run. Counts include only
 * entities that the reader may see.
 */
export function traceFilter(
  port: SelectionPort,
  dataClass: ClassModel,
  filter: string | Condition,
  params: unknown,
  options?: QueryOptions,
): FilterTrace {
  port.moment.enter()
  const { text, predicate, asked } = port.binder.bindFilter(dataClass, filter, params, options)
  const sources: ConditionSources = new Map()
  const shown = asked === undefined ? predicate : asked()
  // Conditions are planned one by one, as they run.
  const isIndexed: IsIndexed = (each) =>
    !port.scope.restrictsRows &&
    indexedComparisons(port.planner.planOf(each.attribute.owner, each)).has(each)
  const condition = conditionOf(dataClass, shown, port.planner.counts, sources, isIndexed)
  const root = condition === null ? null : new Tracer(port, sources).run(dataClass, condition).step
  return { dataClass: dataClass.name, filter: text ?? '', root }
}

/** The records of a condition, and the report on it. */
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
    const { set: all, steps } = this.#carryOut(
      dataClass,
      condition,
      this.#sources.get(condition) ?? EVERYTHING,
    )
    const set = this.#visible(dataClass, all)
    const found = countOf(set)
    const milliseconds = this.#port.planner.monotonic() - start
    return {
      set,
      step: { condition: this.#port.scope.shownCondition(condition), found, milliseconds, steps },
    }
  }

  #carryOut(dataClass: ClassModel, condition: ConditionNode, predicate: Predicate): CarriedOut {
    const { allocator } = this.#port.database
    switch (condition.kind) {
      case 'and': {
        const parts = this.#conjuncts(dataClass, condition.parts)
        const steps = parts.map(({ step }) => step)
        // Conditions on one element of a collection cannot be intersected: each might hold for
        // another element.
        const set =
          predicate.kind === 'and'
            ? parts
                .map((part) => part.set)
                .reduce((both, next) => intersection(both, next, allocator))
            : this.#select(dataClass, predicate)
        return { set, steps }
      }
      case 'or': {
        const parts = condition.parts.map((part) => this.run(dataClass, part))
        const set = parts.reduce<RecordSet>(
          (either, part) => union(either, part.set, allocator),
          EMPTY_SET,
        )
        return { set, steps: parts.map(({ step }) => step) }
      }
      case 'not': {
        const { set: inner, step } = this.run(dataClass, condition.part)
        // A negated condition on elements is false without elements, so it is not a difference.
        const set =
          predicate.kind === 'not'
            ? difference(this.#select(dataClass, EVERYTHING), inner, allocator)
            : this.#select(dataClass, predicate)
        return { set, steps: [step] }
      }
      case 'join': {
        const { relation, whenMissing } = predicate as RelatedPredicate
        const { set: inner, step } = this.run(relation.target, condition.part)
        // Of a store that holds only some records, the others are not joined.
        if (this.#port.database.matching !== null)
          return { set: this.#select(dataClass, predicate), steps: [step] }
        const right = whenMissing ? union(inner, this.#hidden(relation.target), allocator) : inner
        const set = semiJoin({ relation, whenMissing }, right, this.#port.database)
        return {
          set:
            whenMissing && this.#port.planner.counts.mayDangle
              ? this.#withDangling(set, relation)
              : set,
          steps: [step],
        }
      }
      case 'comparison':
        return { set: this.#select(dataClass, predicate), steps: [] }
    }
  }

  /** Adds the records whose foreign key leads to no entity. */
  #withDangling(set: RecordSet, relation: RelationAttribute): RecordSet {
    const { database } = this.#port
    const targets = this.#select(relation.target, EVERYTHING)
    const leading = semiJoin({ relation, whenMissing: true }, targets, database)
    const dangling = difference(
      this.#select(relation.owner, EVERYTHING),
      leading,
      database.allocator,
    )
    return union(set, dangling, database.allocator)
  }

  /** Runs the parts up to the first one that finds nothing. */
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
    return this.#port.database.select(dataClass, predicate)
  }

  #visible(dataClass: ClassModel, set: RecordSet): RecordSet {
    const { database } = this.#port
    const visible = database.visibleIn(dataClass)
    return visible === null ? set : intersection(set, visible.set(), database.allocator)
  }

  /** The entities that the reader may not see. */
  #hidden(dataClass: ClassModel): RecordSet {
    const { database } = this.#port
    const visible = database.visibleIn(dataClass)
    if (visible === null) return EMPTY_SET
    return difference(this.#select(dataClass, EVERYTHING), visible.set(), database.allocator)
  }
}
