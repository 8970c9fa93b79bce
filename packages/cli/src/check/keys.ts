import type { AnyNode } from 'acorn'

export type PropertyNode = Extract<AnyNode, { readonly type: 'Property' }>
export type ClassNode = Extract<AnyNode, { readonly type: 'ClassDeclaration' | 'ClassExpression' }>

export const isClass = (node: AnyNode): node is ClassNode =>
  node.type === 'ClassDeclaration' || node.type === 'ClassExpression'

/** The name of a member: `query` of `store.Employee.query`; null for one that is computed. */
export function memberName(node: AnyNode): string | null {
  if (node.type !== 'MemberExpression') return null
  if (node.computed)
    return node.property.type === 'Literal' && typeof node.property.value === 'string'
      ? node.property.value
      : null
  return nameOfKey(node.property)
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
  return computed ? null : nameOfKey(key)
}

function nameOfKey(key: AnyNode): string | null {
  if (key.type === 'PrivateIdentifier') return `#${key.name}`
  return key.type === 'Identifier' ? key.name : null
}

/** The value of a member of an object expression. */
export function memberOf(object: AnyNode, name: string): AnyNode | undefined {
  if (object.type !== 'ObjectExpression') return undefined
  for (const each of object.properties)
    if (each.type === 'Property' && keyOf(each) === name) return each.value
  return undefined
}
