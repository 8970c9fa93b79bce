import type { ClassModel } from '../model/catalog.ts'
import { bindOrderSyntax } from './bind-order-by.ts'
import { bindProperty, type PropertyComparison } from './bind-property.ts'
import {
  type BindContext,
  type BindOptions,
  bindContext,
  both,
  closeDraft,
  combineDrafts,
  type Draft,
  EVERYTHING,
  either,
  NOTHING,
  negation,
} from './context.ts'
import { draftComparison, hasPlaceholder, type Term } from './draft-comparison.ts'
import { type FilterParameters, findPlaceholders, UsedParameters } from './parameters.ts'
import { parseFilter } from './parse-filter.ts'
import type { BoundFilter, OrderBy, Predicate } from './predicate.ts'
import type { RelationStep } from './resolve-filter-path.ts'
import type { ConditionSyntax } from './syntax.ts'

/**
 * Turns a condition into a predicate, as far as its values are known. Comparisons of one
 * conjunction over the same relations are about one related entity and become one `related`.
 * Comparisons joined by `or`, `except` or `not` stay apart. Cost: O(comparisons). Throws as
 * `draftComparison`.
 */
function draftCondition(
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

/**
 * A filter text prepared for one dataclass: names are looked up and written values converted. It is
 * cached by text and bound to the values of its placeholders by each query.
 */
export interface PreparedFilter {
  readonly dataClass: ClassModel
  readonly text: string
  /**
   * Names of the placeholders, without colons, in the order of the text; empty when there are none.
   */
  readonly placeholders: readonly string[]
  /** The part that `bind` completes; null if a placeholder stands for an attribute. */
  readonly draft: Draft | null
  readonly orderBy: OrderBy | null
  /**
   * The filter with its values. Without placeholders it is the same frozen object each time. Values
   * that the text does not use are refused. Cost: O(placeholders); a placeholder for an attribute
   * makes it O(text). Throws `placeholderMissing` for one that is missing or null,
   * `filterCannotBeAnalysed` for a value of a wrong type, `parameterUnused`.
   */
  bind(parameters?: FilterParameters): BoundFilter
}

/**
 * Parses a filter and resolves it against a dataclass. Blank text selects everything. Cost:
 * O(text). Throws the errors of `parseFilter`, `filterCannotBeAnalysed` with the place of the name
 * or value that does not fit (`cause` is `attributeNotFound` for an unknown name),
 * `filterTooLarge`.
 */
export function prepareFilter(
  text: string,
  dataClass: ClassModel,
  options: BindOptions = {},
): PreparedFilter {
  const context = bindContext('filter', text, options)
  const { condition, orderBy: orderSyntax } = parseFilter(text, context.limits)
  const orderBy = orderSyntax === null ? null : bindOrderSyntax(context, dataClass, orderSyntax)
  const { names: placeholders, forAttributes } = findPlaceholders(text, condition, context.limits)
  const used = new UsedParameters(text, placeholders)
  const draft = forAttributes ? null : draftIn(context, dataClass, condition)
  if (draft !== null && draft.kind !== 'open') {
    const always: BoundFilter = Object.freeze({ dataClass, text, predicate: draft, orderBy })
    const bind = (parameters?: FilterParameters): BoundFilter => {
      used.check(parameters)
      return always
    }
    return { dataClass, text, placeholders, draft, orderBy, bind }
  }
  const bind = (parameters?: FilterParameters): BoundFilter => {
    const known =
      draft ?? draftIn({ ...context, attributeParameters: parameters }, dataClass, condition)
    const predicate = closeDraft(known, parameters)
    used.check(parameters)
    return { dataClass, text, predicate, orderBy }
  }
  return { dataClass, text, placeholders, draft, orderBy, bind }
}

const draftIn = (
  context: BindContext,
  dataClass: ClassModel,
  condition: ConditionSyntax | null,
): Draft => (condition === null ? EVERYTHING : draftCondition(context, dataClass, condition))
