import { EntiaError, isEntiaError } from '../errors.ts'
import type {
  AttributeModel,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import { describeFound } from '../value/check-options.ts'
import {
  bindProperty,
  ColumnComparison,
  columnPredicate,
  linkOf,
  type PropertyComparison,
} from './bind-property.ts'
import { type BindContext, cannotBeAnalysed, type Draft, EVERYTHING, refusedAt } from './context.ts'
import { type Comparable, wrongType } from './convert-value.ts'
import { isNegative, OPERATORS, type Operator } from './operators.ts'
import { type FilterParameters, readAttributeParameter } from './parameters.ts'
import { parsePath } from './parse-filter.ts'
import type { Predicate } from './predicate.ts'
import { nearestKey, type RelationStep, resolveFilterPath } from './resolve-filter-path.ts'
import type {
  ComparisonSyntax,
  IsTrueSyntax,
  PathSyntax,
  PlaceholderSyntax,
  ValueSyntax,
} from './syntax.ts'

/** One comparison of a conjunction: the relations of its path, and the condition at their end. */
export interface Term {
  readonly steps: readonly RelationStep[]
  /** True for a test for null, which a path through an empty to-one relation satisfies. */
  readonly testsNull: boolean
  readonly draft: Draft
  /** A comparison about the same element as others with this `link`; `draft` is then unused. */
  readonly linked: { readonly link: string; readonly comparison: PropertyComparison } | null
}

/**
 * Resolves one comparison. Throws `filterCannotBeAnalysed` at the name or value, and the errors of
 * values.
 */
export function draftComparison(
  context: BindContext,
  dataClass: ClassModel,
  part: ComparisonSyntax | IsTrueSyntax,
): Term {
  const path = part.path.kind === 'path' ? part.path : pathGiven(context, part.path)
  const resolved = resolveFilterPath(context, dataClass, path)
  const name = path.steps[path.steps.length - 1].name
  const { attribute, written, properties } = resolved
  if (attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities') {
    if (part.kind === 'isTrue') throw notBoolean(context, path)
    const step = { relation: attribute, instance: resolved.instance }
    const draftRelation = part.value.kind === 'null' ? draftExistence : draftKey
    return draftRelation(context, resolved.steps, step, part, name)
  }
  const { operator, value } = part.kind === 'isTrue' ? isTrue(path) : part
  if (properties.length > 0 && attribute.kind === 'storage') {
    const comparison = { attribute, name: written.name, properties, operator, value }
    return draftProperty(context, resolved.steps, comparison)
  }
  if (part.kind === 'comparison') refuseMedia(context, attribute.type, written, value)
  else if (attribute.type !== 'bool') throw notBoolean(context, path)
  return draftColumn(context, resolved.steps, attribute, { operator, value }, name)
}

/** The operator of a comparison and its right side. */
type ComparedValue = Pick<ComparisonSyntax, 'operator' | 'value'>

function isTrue({ at }: PathSyntax): ComparedValue {
  return { operator: 'identical', value: { kind: 'bare', text: 'true', at } }
}

function draftColumn(
  context: BindContext,
  path: readonly RelationStep[],
  from: StorageAttribute | ComputedAttribute,
  { operator, value }: ComparedValue,
  name: string,
  remedy: Comparable['remedy'] = null,
): Term {
  const { steps, attribute } = nearestKey(context, path, from)
  const target = comparableTo(attribute, name, remedy)
  const draft = hasPlaceholder(value)
    ? openComparison(context, attribute, target, operator, value)
    : columnPredicate(context, attribute, target, operator, value, undefined)
  return term(steps, operator, value, draft)
}

/** By itself, so that comparisons with written values make no closure. */
const openComparison = (
  context: BindContext,
  attribute: StorageAttribute | ComputedAttribute,
  target: Comparable,
  operator: Operator,
  value: ValueSyntax,
): ColumnComparison =>
  new ColumnComparison(attribute, operator, value, (parameters) =>
    columnPredicate(context, attribute, target, operator, value, parameters),
  )

/** `name` is the written name, for messages: the target of an alias or a relation may be hidden. */
function comparableTo(
  attribute: StorageAttribute | ComputedAttribute,
  name: string,
  remedy: Comparable['remedy'],
): Comparable {
  const { type, dateOnly } = attribute
  const collation =
    attribute.kind === 'storage' ? attribute.collation : type === 'uuid' ? 'exact' : 'folded'
  return { name, type, dateOnly, collation, remedy }
}

function draftProperty(
  context: BindContext,
  steps: readonly RelationStep[],
  comparison: PropertyComparison,
): Term {
  const { operator, value, properties } = comparison
  const link = linkOf(properties)
  if (link !== null)
    return {
      steps,
      testsNull: false,
      draft: EVERYTHING,
      linked: { link: `${comparison.attribute.ordinal} ${link}`, comparison },
    }
  const bind = (parameters: FilterParameters | undefined) =>
    bindProperty(context, [comparison], parameters)
  const made = term(
    steps,
    operator,
    value,
    hasPlaceholder(value) ? { kind: 'open', bind } : bind(undefined),
  )
  return properties.every(({ element }) => element === null) ? made : { ...made, testsNull: false }
}

/** `employer = null`, `staff != null`: whether anything is related. */
function draftExistence(
  context: BindContext,
  steps: readonly RelationStep[],
  step: RelationStep,
  comparison: ComparisonSyntax,
  name: string,
): Term {
  const { relation, instance } = step
  const { operator, value } = comparison
  if (relation.kind === 'relatedEntity')
    // A related entity exists if it has a key. If the foreign key may refer to nothing, the key of
    // the entity itself is tested.
    return context.isRestricted(relation.target)
      ? draftColumn(context, [...steps, step], relation.target.key, comparison, name)
      : draftColumn(context, steps, relation.foreignKey, comparison, name)
  const related: Predicate = {
    kind: 'related',
    relation,
    part: EVERYTHING,
    whenMissing: false,
    instance,
  }
  if (isNegative(operator)) return { steps, testsNull: false, draft: related, linked: null }
  if (OPERATORS[operator].test === 'equal')
    return { steps, testsNull: true, draft: { kind: 'not', part: related }, linked: null }
  throw cannotBeAnalysed(context, value.at, 'null can be compared by "=" and "!=" only.')
}

/** `employer = 7`: a comparison with the key of the related entity. */
function draftKey(
  context: BindContext,
  steps: readonly RelationStep[],
  step: RelationStep,
  comparison: ComparisonSyntax,
  written: string,
): Term {
  const { name, target } = step.relation
  const { test } = OPERATORS[comparison.operator]
  if (test === 'equal' || test === 'notEqual' || test === 'in') {
    const remedy = () =>
      `A relation compares with a key of "${target.name}". For another attribute write a path${exampleBehind(context, name, target)}.`
    return draftColumn(context, [...steps, step], target.key, comparison, written, remedy)
  }
  throw cannotBeAnalysed(
    context,
    comparison.path.at,
    `"${name}" is a relation to "${target.name}": compare it by = or !=, or name an attribute behind it${exampleBehind(context, name, target)}.`,
  )
}

/** `, as in "author.name"`, with the first visible text attribute; empty if there is none. */
function exampleBehind(
  { isVisible }: BindContext,
  relation: string,
  { attributes, key }: ClassModel,
): string {
  for (const attribute of attributes.values())
    if (
      attribute.kind === 'storage' &&
      attribute.type === 'string' &&
      attribute !== key &&
      isVisible(attribute)
    )
      return `, as in "${relation}.${attribute.name}"`
  return ''
}

function term(
  steps: readonly RelationStep[],
  operator: Operator,
  value: ValueSyntax,
  draft: Draft,
): Term {
  return { steps, testsNull: value.kind === 'null' && !isNegative(operator), draft, linked: null }
}

export const hasPlaceholder = (value: ValueSyntax): boolean =>
  value.kind === 'list' ? value.items.some(hasPlaceholder) : value.kind === 'placeholder'

function refuseMedia(
  context: BindContext,
  type: (StorageAttribute | ComputedAttribute)['type'],
  { name, owner }: AttributeModel,
  value: ValueSyntax,
): void {
  if (value.kind === 'null') return
  if (type !== 'object' && type !== 'image' && type !== 'blob') return
  const remedy =
    type === 'object'
      ? `Compare a property of it, as in "${name}.property".`
      : 'Compare it with null only.'
  const details = { dataClass: owner.name, attribute: name, use: 'a comparison', remedy }
  throw refusedAt(context, value.at, new EntiaError('attributeNotApplicable', details))
}

function notBoolean(context: BindContext, { at, steps }: PathSyntax): EntiaError {
  const { name } = steps[steps.length - 1]
  return cannotBeAnalysed(
    context,
    at,
    `"${name}" is not a boolean and cannot stand alone. Compare it with a value.`,
  )
}

/** The path given for a placeholder: a text, or a list of names. */
function pathGiven(context: BindContext, placeholder: PlaceholderSyntax): PathSyntax {
  const { at } = placeholder
  const given = readAttributeParameter(context.attributeParameters, placeholder)
  const refuse = (problem: string, cause?: EntiaError): EntiaError =>
    wrongType(context, placeholder, problem, cause)
  if (
    Array.isArray(given) &&
    given.length > 0 &&
    given.every((name) => typeof name === 'string' && name !== '')
  ) {
    if (given.length > context.limits.maxPathSegments) throw refuse('the path has too many names.')
    return {
      kind: 'path',
      at,
      steps: given.map((name: string) => ({ name, instance: 1, element: null, at })),
    }
  }
  if (typeof given !== 'string')
    throw refuse(`it stands for an attribute: give a path, not ${describeFound(given)}.`)
  try {
    const { steps } = parsePath(given, context.limits)
    return { kind: 'path', at, steps: steps.map((step) => ({ ...step, at })) }
  } catch (error) {
    if (isEntiaError(error)) throw refuse('it stands for an attribute: give its path.', error)
    throw error
  }
}
