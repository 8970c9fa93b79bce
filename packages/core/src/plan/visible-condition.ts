import type { Catalog } from '../model/catalog.ts'
import type { ConditionNode, ExplainNode } from '../model/explain-types.ts'
import type { Sees } from '../model/path.ts'

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
