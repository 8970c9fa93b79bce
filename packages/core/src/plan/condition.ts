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
import type { AttributeModel, Catalog, ClassModel } from '../model/catalog.ts'
import type { ConditionNode, ExplainNode } from '../model/explain-types.ts'
import { everything, isRelation, type Sees } from '../model/path.ts'
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
 * A condition without hidden names: an alias may lead to a hidden attribute or dataclass, and the
 * foreign key of a relation may be hidden. Cost: O(condition).
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
      if (attribute === node.attribute) return node
      const dataClass = visibleClass(catalog, sees, node.dataClass)
      return { ...node, dataClass, attribute, index: null }
    }
    case 'join':
      return {
        ...node,
        source: visibleClass(catalog, sees, node.source),
        target: visibleClass(catalog, sees, node.target),
        leftAttribute: visibleName(catalog, sees, node.source, node.leftAttribute),
        rightAttribute: visibleName(catalog, sees, node.target, node.rightAttribute),
        part: visibleCondition(catalog, sees, node.part),
      }
  }
}

/** A reader from whom names are hidden knows exposed dataclasses of which it sees an attribute. */
const isKnown = ({ attributes, exposed }: ClassModel, sees: Sees): boolean =>
  sees === everything || (exposed && [...attributes.values()].some(sees))

/** The name of a dataclass, unless the reader may not know it. */
export function visibleClass({ byName }: Catalog, sees: Sees, className: string): string {
  const dataClass = byName.get(className)
  return dataClass !== undefined && isKnown(dataClass, sees) ? className : HIDDEN
}

/** A hidden foreign key has the name of its relation, like a foreign key without an attribute. */
function visibleName(catalog: Catalog, sees: Sees, className: string, path: string): string {
  const dataClass = catalog.byName.get(className)
  if (dataClass === undefined || !isKnown(dataClass, sees)) return HIDDEN
  const { attributes } = dataClass
  const named = attributes.get(path.split(/[.[]/, 1)[0])
  if (named !== undefined && sees(named)) return path
  for (const relation of attributes.values())
    if (relation.kind === 'relatedEntity' && relation.foreignKey.name === path && sees(relation))
      return relation.name
  return HIDDEN
}

/**
 * True if a reader sees every attribute of each dataclass that it knows, and so all that its paths
 * lead to: plans need no changes. Cost: O(attributes).
 */
export function seesEverything({ classes }: Catalog, sees: Sees): boolean {
  const known = new Set(classes.filter((each) => isKnown(each, sees)))
  const isSeen = (attribute: AttributeModel): boolean =>
    sees(attribute) && (!isRelation(attribute) || known.has(attribute.target))
  return [...known].every(({ attributes }) => [...attributes.values()].every(isSeen))
}

/** The index of an operator, `Employee.lastName`; null if the reader may not know its name. */
export function visibleIndex(catalog: Catalog, sees: Sees, index: string | null): string | null {
  const [className = '', attribute = ''] = index?.split('.') ?? []
  return visibleName(catalog, sees, className, attribute) === attribute ? index : null
}

/** A plan's operators, numbers and visible indexes, without details about attributes. */
export function visiblePlan(catalog: Catalog, sees: Sees, node: ExplainNode): ExplainNode {
  const inputs = node.inputs.map((input) => visiblePlan(catalog, sees, input))
  return { ...node, detail: '', index: visibleIndex(catalog, sees, node.index), inputs }
}
