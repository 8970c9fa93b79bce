import type { ConditionNode } from '@entia/core'
import type { Names } from './names.ts'

/** Stands for a name that must not be told. */
const HIDDEN = '(hidden)'

/**
 * A plan without hidden names. An exposed alias may lead to a hidden attribute, and a relation may keep its key in one:
 * the filter is allowed, its plan would give the names away. Cost: O(plan).
 */
export function withoutHiddenParts(names: Names, node: ConditionNode): ConditionNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, parts: node.parts.map((part) => withoutHiddenParts(names, part)) }
    case 'not':
      return { ...node, part: withoutHiddenParts(names, node.part) }
    case 'comparison':
      return isVisible(names, node.dataClass, node.attribute) ? node : { ...node, attribute: HIDDEN, index: null }
    case 'join':
      return {
        ...node,
        leftAttribute: visibleSide(names, node.source, node.leftAttribute),
        rightAttribute: visibleSide(names, node.target, node.rightAttribute),
        part: withoutHiddenParts(names, node.part),
      }
  }
}

function isVisible(names: Names, className: string, path: string): boolean {
  const dataClass = names.findDataClass(className)
  return dataClass !== undefined && names.find(dataClass, path.split(/[.[]/, 1)[0]!) !== undefined
}

/** A hidden foreign key goes by the name of its relation, as one that is no attribute of its own does. */
function visibleSide(names: Names, className: string, attribute: string): string {
  if (isVisible(names, className, attribute)) return attribute
  for (const relation of names.catalog.byName.get(className)?.attributes.values() ?? [])
    if (
      relation.kind === 'relatedEntity' &&
      relation.foreignKey.name === attribute &&
      isVisible(names, className, relation.name)
    )
      return relation.name
  return HIDDEN
}
