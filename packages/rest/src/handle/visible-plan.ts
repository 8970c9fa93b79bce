import type { Catalog, ConditionNode } from '@entia/core'
import { findAttribute } from './names.ts'

/** Stands for a name that must not be told. */
const HIDDEN = '(hidden)'

/**
 * A plan without hidden names. An exposed alias may lead to a hidden attribute, and a relation may keep its key in one:
 * the filter is allowed, its plan would give the names away. Cost: O(plan).
 */
export function withoutHiddenParts(catalog: Catalog, node: ConditionNode): ConditionNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, parts: node.parts.map((part) => withoutHiddenParts(catalog, part)) }
    case 'not':
      return { ...node, part: withoutHiddenParts(catalog, node.part) }
    case 'comparison':
      return isVisible(catalog, node.dataClass, node.attribute) ? node : { ...node, attribute: HIDDEN, index: null }
    case 'join':
      return {
        ...node,
        leftAttribute: visibleSide(catalog, node.source, node.leftAttribute),
        rightAttribute: visibleSide(catalog, node.target, node.rightAttribute),
        part: withoutHiddenParts(catalog, node.part),
      }
  }
}

function isVisible(catalog: Catalog, className: string, path: string): boolean {
  const dataClass = catalog.byName.get(className)
  return dataClass !== undefined && findAttribute(dataClass, path.split(/[.[]/, 1)[0]!) !== undefined
}

/** A hidden foreign key goes by the name of its relation, as one that is no attribute of its own does. */
function visibleSide(catalog: Catalog, className: string, attribute: string): string {
  if (isVisible(catalog, className, attribute)) return attribute
  for (const relation of catalog.byName.get(className)?.attributes.values() ?? [])
    if (
      relation.kind === 'relatedEntity' &&
      relation.foreignKey.name === attribute &&
      isVisible(catalog, className, relation.name)
    )
      return relation.name
  return HIDDEN
}
