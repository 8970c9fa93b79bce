import { assertNever } from '../errors.ts'
import { plannedSignOf } from '../filter/operators.ts'
import type {
  ComparePredicate,
  JsonMatch,
  Predicate,
  PropertyPredicate,
  RelatedPredicate,
  Test,
} from '../filter/predicate.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { ConditionNode, ExplainNode } from '../model/explain-types.ts'
import type { Sees } from '../model/path.ts'
import type { Counts } from './cost.ts'
import { soughtOf } from './physical-plan.ts'

/** The predicate of each condition node. */
export type ConditionSources = Map<ConditionNode, Predicate>

/** Tells which comparisons an index answers. */
export type IsIndexed = (comparison: ComparePredicate) => boolean

/**
 * The structure of a filter with the index of each comparison, for the protocol's plans. With
 * `isIndexed` it is the index that answers the comparison; without a plan, the one that could. The
 * order of conjuncts is that of the protocol's samples: indexed comparisons, joins, others. Null
 * selects everything.
 */
export function conditionOf(
  dataClass: ClassModel,
  predicate: Predicate,
  counts: Pick<Counts, 'access'>,
  sources: ConditionSources = new Map(),
  isIndexed: IsIndexed = (comparison) => couldBeIndexed(comparison, counts),
): ConditionNode | null {
  return new Conditions(sources, isIndexed).of(dataClass, predicate, 1)
}

class Conditions {
  readonly #sources: ConditionSources
  readonly #isIndexed: IsIndexed

  constructor(sources: ConditionSources, isIndexed: IsIndexed) {
    this.#sources = sources
    this.#isIndexed = isIndexed
  }

  of(dataClass: ClassModel, predicate: Predicate, instance: number): ConditionNode | null {
    const node = this.#node(dataClass, predicate, instance)
    return node === null ? null : this.#noted(node, predicate)
  }

  #noted(node: ConditionNode, predicate: Predicate): ConditionNode {
    this.#sources.set(node, predicate)
    return node
  }

  #node(dataClass: ClassModel, predicate: Predicate, instance: number): ConditionNode | null {
    switch (predicate.kind) {
      case 'constant':
        return predicate.value ? null : { kind: 'or', parts: [] }
      case 'and':
      case 'or': {
        const parts = predicate.parts.flatMap((part) => this.of(dataClass, part, instance) ?? [])
        return { kind: predicate.kind, parts: predicate.kind === 'and' ? byClass(parts) : parts }
      }
      case 'not': {
        const part = this.of(dataClass, predicate.part, instance)
        return part === null ? { kind: 'or', parts: [] } : { kind: 'not', part }
      }
      case 'compare': {
        const { attribute, test } = predicate
        const index = this.#isIndexed(predicate)
          ? `${attribute.owner.name}.${attribute.name}`
          : null
        return comparison(dataClass, attribute.name, test, index, instance)
      }
      case 'computed':
        return comparison(dataClass, predicate.attribute.name, predicate.test, null, instance)
      case 'property':
        return this.#property(
          predicate,
          predicate.attribute.name,
          predicate.match,
          (match) => match,
          instance,
        )
      case 'related':
        return this.#join(dataClass, predicate)
      default:
        return assertNever(predicate)
    }
  }

  #join(dataClass: ClassModel, { relation, part, instance }: RelatedPredicate): ConditionNode {
    const isToOne = relation.kind === 'relatedEntity'
    const foreignKey = isToOne ? relation.foreignKey : relation.inverse.foreignKey
    const near = foreignKey.hidden
      ? isToOne
        ? relation.name
        : relation.inverse.name
      : foreignKey.name
    return {
      kind: 'join',
      source: dataClass.name,
      leftAttribute: isToOne ? near : dataClass.key.name,
      target: relation.target.name,
      rightAttribute: isToOne ? relation.target.key.name : near,
      instance,
      part:
        this.of(relation.target, part, instance) ?? this.#noted({ kind: 'and', parts: [] }, part),
    }
  }

  /**
   * `whole` turns a match inside a collection into one of the attribute: an element of the
   * collection satisfies it.
   */
  #property(
    predicate: PropertyPredicate,
    below: string,
    match: JsonMatch,
    whole: (match: JsonMatch) => JsonMatch,
    instance: number,
  ): ConditionNode {
    const { owner } = predicate.attribute
    const path = [below, ...match.path].join('.')
    switch (match.kind) {
      case 'value':
      case 'length': {
        const name = match.kind === 'length' ? `${path}.length` : path
        return this.#noted(comparison(owner, name, match.test, null, instance), {
          ...predicate,
          match: whole(match),
        })
      }
      case 'some': {
        const wholeOfOne = (inner: JsonMatch): JsonMatch =>
          whole({ kind: 'some', path: match.path, all: [inner] })
        const parts = match.all.map((inner) =>
          this.#property(predicate, `${path}[]`, inner, wholeOfOne, instance),
        )
        if (parts.length === 1) return parts[0]
        return this.#noted({ kind: 'and', parts }, { ...predicate, match: whole(match) })
      }
      case 'none': {
        const part = this.#property(predicate, below, { ...match, kind: 'some' }, whole, instance)
        return this.#noted({ kind: 'not', part }, { ...predicate, match: whole(match) })
      }
      default:
        return assertNever(match)
    }
  }
}

const rankOf = (node: ConditionNode): number =>
  node.kind === 'comparison' && node.index !== null ? 0 : node.kind === 'join' ? 1 : 2
const byClass = (parts: readonly ConditionNode[]): ConditionNode[] =>
  parts
    .map((part, at) => ({ part, at }))
    .sort((a, b) => rankOf(a.part) - rankOf(b.part) || a.at - b.at)
    .map(({ part }) => part)

function couldBeIndexed(
  { attribute, test }: ComparePredicate,
  counts: Pick<Counts, 'access'>,
): boolean {
  const sought = soughtOf(attribute, test)
  return sought !== null && counts.access(attribute, sought) !== null
}

function comparison(
  dataClass: ClassModel,
  attribute: string,
  test: Test,
  index: string | null,
  instance: number,
): ConditionNode {
  const value = 'spelling' in test ? test.spelling : null
  return {
    kind: 'comparison',
    dataClass: dataClass.name,
    attribute,
    operator: plannedSignOf(test),
    value,
    index,
    instance,
  }
}

/** Replaces a hidden name. */
const HIDDEN = '(hidden)'

/**
 * A condition without hidden names: an alias may lead to a hidden attribute, and the foreign key of
 * a relation may be hidden. Cost: O(condition).
 */
export function visibleCondition(catalog: Catalog, sees: Sees, node: ConditionNode): ConditionNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, parts: node.parts.map((part) => visibleCondition(catalog, sees, part)) }
    case 'not':
      return { ...node, part: visibleCondition(catalog, sees, node.part) }
    case 'comparison': {
      const attribute = visibleName(catalog, sees, node.dataClass, node.attribute)
      return attribute === node.attribute ? node : { ...node, attribute, index: null }
    }
    case 'join':
      return {
        ...node,
        leftAttribute: visibleName(catalog, sees, node.source, node.leftAttribute),
        rightAttribute: visibleName(catalog, sees, node.target, node.rightAttribute),
        part: visibleCondition(catalog, sees, node.part),
      }
  }
}

/** A hidden foreign key has the name of its relation, like a foreign key without an attribute. */
function visibleName(catalog: Catalog, sees: Sees, className: string, path: string): string {
  const attributes = catalog.byName.get(className)?.attributes
  const named = attributes?.get(path.split(/[.[]/, 1)[0])
  if (named !== undefined && sees(named)) return path
  for (const relation of attributes?.values() ?? [])
    if (relation.kind === 'relatedEntity' && relation.foreignKey.name === path && sees(relation))
      return relation.name
  return HIDDEN
}

/** True if a reader sees every attribute, so that plans need no changes. Cost: O(attributes). */
export const seesEverything = ({ classes }: Catalog, sees: Sees): boolean =>
  classes.every(({ attributes }) => [...attributes.values()].every(sees))

/** A plan's operators, numbers and visible indexes, without details about attributes. */
export function visiblePlan(catalog: Catalog, sees: Sees, node: ExplainNode): ExplainNode {
  const [className = '', attribute = ''] = node.index?.split('.') ?? []
  const isKnown =
    node.index !== null && visibleName(catalog, sees, className, attribute) === attribute
  const inputs = node.inputs.map((input) => visiblePlan(catalog, sees, input))
  return { ...node, detail: '', index: isKnown ? node.index : null, inputs }
}
