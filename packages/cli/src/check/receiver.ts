import type { Catalog, ClassModel } from '@entia/core'
import type { AnyNode } from 'acorn'
import { keyOf, memberName } from './keys.ts'
import { argumentsFor, valuesBound, valuesOf } from './names.ts'
import type { SyntaxTrees } from './syntax-trees.ts'
import { textsOf } from './text-of.ts'

/** What a filter is asked of. */
export interface Receiver {
  readonly dataClasses: readonly ClassModel[] | null
  /** False for a selection. */
  readonly isWhole: boolean
}

/** What a filter is asked of; null if it may be something else than a store's. */
export function receiverOf(trees: SyntaxTrees, catalog: Catalog, node: AnyNode): Receiver | null {
  switch (node.type) {
    case 'Identifier': {
      const declaration = trees.declarationOf(node.name, node)
      const key = declaration?.type === 'Property' ? keyOf(declaration) : null
      return (
        (key === null ? null : receiverNamed(trees, catalog, key, node)) ??
        receiverOfAny(trees, catalog, node, valuesNamed(trees, node.name, declaration)) ??
        receiverNamed(trees, catalog, node.name, node)
      )
    }
    case 'MemberExpression': {
      const name = memberName(node)
      return (
        (name === null ? null : receiverNamed(trees, catalog, name, node)) ??
        receiverOfAny(trees, catalog, node, valuesOf(trees, node))
      )
    }
    case 'AssignmentExpression':
      return receiverOf(trees, catalog, node.right)
    case 'ThisExpression':
      return receiverNamed(trees, catalog, 'this', node)
    case 'AwaitExpression':
      return receiverOf(trees, catalog, node.argument)
    case 'ChainExpression':
      return receiverOf(trees, catalog, node.expression)
    case 'TaggedTemplateExpression':
    case 'CallExpression': {
      const method = node.type === 'CallExpression' ? node.callee : node.tag
      if (method.type !== 'MemberExpression') return null
      const [name] = node.type === 'CallExpression' ? node.arguments : []
      if (memberName(method) === 'dataClass' && name !== undefined) {
        const dataClasses = textsOf(trees, name).flatMap(
          ({ text }) => catalog.byName.get(text) ?? [],
        )
        return { dataClasses: dataClasses.length === 0 ? null : dataClasses, isWhole: true }
      }
      const found = receiverOf(trees, catalog, method.object)
      return found === null ? null : { ...found, isWhole: false }
    }
    default:
      return null
  }
}

function valuesNamed(
  trees: SyntaxTrees,
  name: string,
  declaration: AnyNode | null,
): readonly AnyNode[] {
  if (declaration?.type === 'Property') return valuesBound(trees, declaration).values
  if (declaration?.type === 'Identifier') return argumentsFor(trees, declaration)
  if (declaration?.type !== 'VariableDeclarator') return []
  const assigned = trees.assignmentsTo(name, declaration)
  return declaration.init ? [declaration.init, ...assigned] : assigned
}

/** What all of the values are that are a store's; null if none is. */
function receiverOfAny(
  trees: SyntaxTrees,
  catalog: Catalog,
  node: AnyNode,
  values: readonly AnyNode[],
): Receiver | null {
  const found = trees.once(node, [], () =>
    values.flatMap((value) => receiverOf(trees, catalog, value) ?? []),
  )
  if (found.length === 0) return null
  const known = found.flatMap(({ dataClasses }) => (dataClasses === null ? [] : [dataClasses]))
  const dataClasses = known.length < found.length ? null : [...new Set(known.flat())]
  return { dataClasses, isWhole: found.every(({ isWhole }) => isWhole) }
}

/** The name of the method that is called: `query` of `x.query(…)` and of `query.call(x, …)`. */
export function methodNameOf(
  trees: SyntaxTrees,
  callee: AnyNode,
  hasReceiver: boolean,
): string | null {
  if (callee.type !== 'Identifier') return memberName(callee)
  // A function of its own is followed where its body calls a method.
  if (!hasReceiver) return null
  const declaration = trees.declarationOf(callee.name, callee)
  if (declaration?.type === 'Property') return keyOf(declaration)
  const value = declaration?.type === 'VariableDeclarator' ? declaration.init : null
  return value ? memberName(value) : callee.name
}

function receiverNamed(
  trees: SyntaxTrees,
  catalog: Catalog,
  name: string,
  at: AnyNode,
): Receiver | null {
  const dataClass = catalog.byName.get(name)
  if (dataClass !== undefined) return { dataClasses: [dataClass], isWhole: true }
  if (name === 'dataClass' || name === 'selection' || name === 'this') {
    const dataClasses = definedAround(trees, catalog, at)
    return dataClasses === null ? null : { dataClasses, isWhole: name === 'dataClass' }
  }
  const targets = catalog.classes.flatMap(({ attributes }) => {
    const attribute = attributes.get(name)
    return attribute?.kind === 'relatedEntities' ? [attribute.target] : []
  })
  return targets.length === 0 ? null : { dataClasses: [...new Set(targets)], isWhole: false }
}

/** The dataclass in whose definition a node stands; null elsewhere. */
function definedAround(
  trees: SyntaxTrees,
  catalog: Catalog,
  node: AnyNode,
): readonly ClassModel[] | null {
  for (const [outer] of trees.around(node)) {
    if (outer.type !== 'CallExpression') continue
    const { callee } = outer
    const isDefinition = callee.type === 'Identifier' && callee.name === 'defineDataClass'
    const [name] = outer.arguments
    if (isDefinition && name?.type === 'Literal')
      return [...catalog.classes.filter((each) => each.name === name.value)]
  }
  return null
}
