import { assertNever } from '../errors.ts'
import type { JsonMatch, Predicate, Test } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { ConditionNode } from '../model/explain-types.ts'
import { rangesOf } from './key-range.ts'
import type { Statistics } from './statistics.ts'

/**
 * The structure of a filter with the index each comparison can use, from which the protocol's plans are rendered.
 * Conjuncts stand in the order of the protocol's samples: indexed comparisons, joins, others.
 */
export function conditionOf(
  dataClass: ClassModel,
  predicate: Predicate,
  statistics: Statistics,
  instance = 1,
): ConditionNode | null {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? null : { kind: 'or', parts: [] }
    case 'and':
    case 'or': {
      const parts = predicate.parts.flatMap((part) => conditionOf(dataClass, part, statistics, instance) ?? [])
      return { kind: predicate.kind, parts: predicate.kind === 'and' ? byClass(parts) : parts }
    }
    case 'not': {
      const part = conditionOf(dataClass, predicate.part, statistics, instance)
      return part === null ? { kind: 'or', parts: [] } : { kind: 'not', part }
    }
    case 'compare':
      return comparison(
        dataClass,
        predicate.attribute.name,
        predicate.test,
        indexName(predicate.attribute, predicate.test, statistics),
        instance,
      )
    case 'computed':
      return comparison(dataClass, predicate.attribute.name, predicate.test, null, instance)
    case 'property':
      return property(dataClass, predicate.attribute.name, predicate.match, instance)
    case 'related': {
      const { relation, part } = predicate
      const isToOne = relation.kind === 'relatedEntity'
      const foreignKey = isToOne ? relation.foreignKey : relation.inverse.foreignKey
      const inner = conditionOf(relation.target, part, statistics, predicate.instance) ?? { kind: 'and', parts: [] }
      const near = foreignKey.hidden ? (isToOne ? relation.name : relation.inverse.name) : foreignKey.name
      return {
        kind: 'join',
        source: dataClass.name,
        leftAttribute: isToOne ? near : dataClass.key.name,
        target: relation.target.name,
        rightAttribute: isToOne ? relation.target.key.name : near,
        instance: predicate.instance,
        part: inner,
      }
    }
    default:
      return assertNever(predicate)
  }
}

const rankOf = (node: ConditionNode): number =>
  node.kind === 'comparison' && node.index !== null ? 0 : node.kind === 'join' ? 1 : 2
const byClass = (parts: readonly ConditionNode[]): ConditionNode[] =>
  parts
    .map((part, at) => ({ part, at }))
    .sort((a, b) => rankOf(a.part) - rankOf(b.part) || a.at - b.at)
    .map(({ part }) => part)

function indexName(attribute: StorageAttribute, test: Test, statistics: Statistics): string | null {
  const ranges = rangesOf(attribute, test)
  return ranges !== null && statistics.access(attribute, ranges) !== null
    ? `${attribute.owner.name}.${attribute.name}`
    : null
}

const OPERATORS: { readonly [op in Test['op']]: string } = {
  isNull: 'is null',
  isNotNull: 'is not null',
  equal: '===',
  notEqual: '!==',
  like: '=',
  notLike: '#',
  less: '<',
  lessEqual: '<=',
  greater: '>',
  greaterEqual: '>=',
  begin: 'begin',
  keyword: '%',
  in: 'in',
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
    operator: OPERATORS[test.op],
    value,
    index,
    instance,
  }
}

function property(dataClass: ClassModel, attribute: string, match: JsonMatch, instance: number): ConditionNode {
  const path = [attribute, ...match.path].join('.')
  switch (match.kind) {
    case 'value':
      return comparison(dataClass, path, match.test, null, instance)
    case 'length':
      return comparison(dataClass, `${path}.length`, match.test, null, instance)
    case 'some':
    case 'none': {
      const parts = match.all.map((inner) => property(dataClass, `${path}[]`, inner, instance))
      const all: ConditionNode = parts.length === 1 ? parts[0] : { kind: 'and', parts }
      return match.kind === 'some' ? all : { kind: 'not', part: all }
    }
    default:
      return assertNever(match)
  }
}
