import type { AnyNode, MemberExpression } from 'acorn'
import { type FunctionNode, isFunction, type SyntaxTrees } from './syntax-trees.ts'

/** The name of a member: `query` of `store.Employee.query`; null for one that is computed. */
export function memberName(node: AnyNode): string | null {
  if (node.type !== 'MemberExpression') return null
  if (node.computed)
    return node.property.type === 'Literal' && typeof node.property.value === 'string'
      ? node.property.value
      : null
  return node.property.type === 'Identifier' ? node.property.name : null
}

/** The key of a member of an object or class; null for one that is computed. */
export function keyOf({
  key,
  computed,
}: {
  readonly key: AnyNode
  computed: boolean
}): string | null {
  if (key.type === 'Literal') return String(key.value)
  return key.type === 'Identifier' && !computed ? key.name : null
}

/** The value of a member of an object expression. */
export function memberOf(object: AnyNode, name: string): AnyNode | undefined {
  if (object.type !== 'ObjectExpression') return undefined
  for (const each of object.properties)
    if (each.type === 'Property' && keyOf(each) === name) return each.value
  return undefined
}

/** The expression that a name stands for, through names of names; else the node itself. */
export function definitionOf(trees: SyntaxTrees, node: AnyNode): AnyNode {
  let at = node
  for (const seen = new Set<AnyNode>(); at.type === 'Identifier' && !seen.has(at); ) {
    seen.add(at)
    const declared = trees.declarationOf(at.name, at)
    const value = declared?.type === 'VariableDeclarator' ? declared.init : declared
    if (!value) return at
    at = value
  }
  return at
}

/** What a member of an object or of an imported file stands for, as far as the source tells. */
export function valuesOf(trees: SyntaxTrees, member: MemberExpression): readonly AnyNode[] {
  const name = memberName(member)
  if (name === null) return []
  const object = definitionOf(trees, member.object)
  if (object.type === 'ImportNamespaceSpecifier') {
    const exported = trees.exportOf(trees.parentOf(object)!, name)
    const value = exported?.type === 'VariableDeclarator' ? exported.init : exported
    return value ? [value] : []
  }
  const value = memberOf(object, name)
  return value === undefined ? [] : [value]
}

/** The function of the source that is called; null for others. */
export function functionOf(trees: SyntaxTrees, callee: AnyNode): FunctionNode | null {
  const value =
    callee.type === 'MemberExpression' ? valuesOf(trees, callee)[0] : definitionOf(trees, callee)
  const found = value?.type === 'Identifier' ? definitionOf(trees, value) : value
  return found !== undefined && isFunction(found) ? found : null
}

/** What the calls in the source give for a parameter of a function. */
export function argumentsFor(trees: SyntaxTrees, parameter: AnyNode): readonly AnyNode[] {
  for (const [owner, inner] of trees.around(parameter)) {
    if (!isFunction(owner)) continue
    const at = owner.params.findIndex((each) => each === parameter || each === inner)
    return trees.calls.flatMap((call) => {
      const given = call.arguments[at]
      return given && functionOf(trees, call.callee) === owner ? [given] : []
    })
  }
  return []
}

/**
 * The items of an array: those of its expression, and those that `push` and `unshift` add. It is
 * whole if the expression has them all. Null for an array that the source does not show.
 */
export function itemsOf(
  trees: SyntaxTrees,
  array: AnyNode,
): { readonly items: readonly AnyNode[]; readonly isWhole: boolean } | null {
  const value = definitionOf(trees, array)
  if (value.type === 'CallExpression' && value.callee.type === 'MemberExpression') {
    const method = memberName(value.callee) ?? ''
    const inner = itemsOf(trees, value.callee.object)
    if (method === 'filter' || method === 'slice') return inner && { ...inner, isWhole: false }
    const [map] = value.arguments
    const isMap = method === 'map' || method === 'flatMap'
    if (!isMap || map === undefined || !isFunction(map)) return null
    return { items: trees.returnedBy(map), isWhole: false }
  }
  if (value.type !== 'ArrayExpression') return null
  const elements = value.elements.flatMap((each) => each ?? [])
  const added = array.type === 'Identifier' ? addedTo(trees, array.name, array) : []
  const items = [...elements, ...added].map((each) =>
    each.type === 'SpreadElement' ? each.argument : each,
  )
  const hasSpread = elements.some(({ type }) => type === 'SpreadElement')
  return { items, isWhole: added.length === 0 && !hasSpread }
}

function addedTo(trees: SyntaxTrees, name: string, at: AnyNode): readonly AnyNode[] {
  const declaration = trees.declarationOf(name, at)
  return trees.calls.flatMap(({ callee, arguments: added }) => {
    const method = memberName(callee)
    if (callee.type !== 'MemberExpression' || (method !== 'push' && method !== 'unshift')) return []
    const { object } = callee
    const isSame = object.type === 'Identifier' && object.name === name
    return isSame && trees.declarationOf(name, object) === declaration ? added : []
  })
}
