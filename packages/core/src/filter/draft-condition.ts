import type { ClassModel } from '../model/catalog.ts'
import { bindProperty, type PropertyComparison } from './bind-property.ts'
import type { BindContext } from './context.ts'
import { both, combineDrafts, type Draft, either, NOTHING, negation } from './draft.ts'
import { draftComparison, hasPlaceholder, type Term } from './draft-comparison.ts'
import type { Predicate } from './predicate.ts'
import type { RelationStep } from './resolve-filter-path.ts'
import type { ConditionSyntax } from './syntax.ts'

/**
 * Turns a condition into a predicate, as far as its values are known. Comparisons of one
 * conjunction over the same relations are about one related entity and become one `related`.
 * Comparisons joined by `or`, `except` or `not` stay apart. Cost: O(comparisons). Throws as
 * `draftComparison`.
 */
export function draftCondition(
  context: BindContext,
  dataClass: ClassModel,
  condition: ConditionSyntax,
): Draft {
  switch (condition.kind) {
    case 'or':
      return combineDrafts(
        condition.parts.map((part) => draftCondition(context, dataClass, part)),
        either,
      )
    case 'not':
      return combineDrafts([draftCondition(context, dataClass, condition.part)], ([part]) =>
        negation(part),
      )
    case 'except': {
      const sides = [condition.left, condition.right].map((side) =>
        draftCondition(context, dataClass, side),
      )
      return combineDrafts(sides, ([left, right]) => both([left, negation(right)]))
    }
    case 'comparison':
    case 'isTrue': {
      const term = draftComparison(context, dataClass, condition)
      return isOwn(term) ? term.draft : draftConjunction(context, [term], 0)
    }
    default: {
      const terms: Term[] = []
      gatherTerms(context, dataClass, condition, terms)
      return draftConjunction(context, terms, 0)
    }
  }
}

/** True for a comparison of the entity itself, without a link to others. */
const isOwn = ({ steps, linked }: Term): boolean => steps.length === 0 && linked === null

/**
 * The parts of nested `and`s in one list: parentheses around an `and` inside an `and` make no
 * difference.
 */
function gatherTerms(
  context: BindContext,
  dataClass: ClassModel,
  condition: ConditionSyntax,
  terms: Term[],
): void {
  switch (condition.kind) {
    case 'and':
      for (const part of condition.parts) gatherTerms(context, dataClass, part, terms)
      break
    case 'comparison':
    case 'isTrue':
      terms.push(draftComparison(context, dataClass, condition))
      break
    default:
      terms.push({
        steps: [],
        testsNull: false,
        draft: draftCondition(context, dataClass, condition),
        linked: null,
      })
  }
}

/**
 * The draft of terms that share their first `depth` relations. The first term of a group decides
 * its place.
 */
function draftConjunction(context: BindContext, terms: readonly Term[], depth: number): Draft {
  const drafts: Draft[] = []
  for (const term of terms) {
    if (term.steps.length === depth && term.linked === null) {
      drafts.push(term.draft)
    } else {
      const group = groupOf(terms, term, depth)
      if (group[0] === term) drafts.push(draftGroup(context, group, depth))
    }
  }
  return drafts.length === 1 ? drafts[0] : combineDrafts(drafts, both)
}

/** The terms about the same related entity, or the same element, as this one. */
function groupOf(terms: readonly Term[], { steps, linked }: Term, depth: number): readonly Term[] {
  const step = steps[depth]
  return terms.filter((other) =>
    step === undefined
      ? other.steps.length === depth && other.linked?.link === linked?.link
      : other.steps.length > depth && isSameJoin(other.steps[depth], step),
  )
}

function draftGroup(context: BindContext, group: readonly Term[], depth: number): Draft {
  if (group[0].steps.length > depth) return draftRelated(context, group, depth)
  return draftLinked(
    context,
    group.flatMap(({ linked }) => (linked === null ? [] : [linked.comparison])),
  )
}

/** True if both steps lead to one entity, as a to-one relation always does. */
function isSameJoin(left: RelationStep, right: RelationStep): boolean {
  if (left.relation !== right.relation) return false
  return left.instance === right.instance || left.relation.kind === 'relatedEntity'
}

/** The condition on one related entity. */
function draftRelated(context: BindContext, group: readonly Term[], depth: number): Draft {
  const { relation, instance } = group[0].steps[depth]
  const whenMissing = relation.kind === 'relatedEntity' && group.every(({ testsNull }) => testsNull)
  return combineDrafts([draftConjunction(context, group, depth + 1)], ([part]): Predicate => {
    if (part.kind === 'constant' && !part.value && !whenMissing) return NOTHING
    return { kind: 'related', relation, part, whenMissing, instance }
  })
}

/** The condition on one element of a collection. */
function draftLinked(context: BindContext, group: readonly PropertyComparison[]): Draft {
  return group.some(({ value }) => hasPlaceholder(value))
    ? { kind: 'open', bind: (parameters) => bindProperty(context, group, parameters) }
    : bindProperty(context, group, undefined)
}
