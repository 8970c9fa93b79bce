import type { AnyNode, CallExpression, Identifier, MemberExpression, NewExpression } from 'acorn'
import { type ClassNode, isClass, keyOf, memberName, memberOf, type PropertyNode } from './keys.ts'
import { type FunctionNode, isFunction, type SyntaxTrees } from './syntax-trees.ts'

/** The expression that a name stands for, through names of names; else the node itself. */
export function definitionOf(trees: SyntaxTrees, node: AnyNode): AnyNode {
  let at = node
  for (const seen = new Set<AnyNode>(); !seen.has(at); ) {
    seen.add(at)
    const value = at.type === 'Identifier' ? valueOfName(trees, at) : requiredBy(trees, at)
    if (!value) return at
    at = value
  }
  return at
}

function valueOfName(trees: SyntaxTrees, at: Identifier): AnyNode | null | undefined {
  const declared = trees.declarationOf(at.name, at)
  if (declared?.type === 'VariableDeclarator') return declared.init
  return declared?.type === 'Property' ? valuesBound(trees, declared).values[0] : declared
}

/**
 * What `require` or `await import` of an own file gives: what the file assigns to `module.exports`,
 * or the file, which has its exports as members. Null for other nodes.
 */
export function requiredBy(trees: SyntaxTrees, node: AnyNode): AnyNode | null {
  const call = node.type === 'AwaitExpression' ? node.argument : node
  if (call.type !== 'CallExpression' && call.type !== 'ImportExpression') return null
  const program = trees.programNamedBy(call)
  if (program === null) return null
  const whole = trees
    .assignmentsToMembers('exports')
    .find(({ left }) => isExports(left) && trees.rootOf(left) === program)
  let value: AnyNode = whole?.right ?? program
  while (value.type === 'AssignmentExpression') value = value.right
  return value
}

/** True for `module.exports` and `exports`. */
const isExports = (node: AnyNode): boolean =>
  node.type === 'MemberExpression'
    ? node.object.type === 'Identifier' &&
      node.object.name === 'module' &&
      memberName(node) === 'exports'
    : node.type === 'Identifier' && node.name === 'exports'

/**
 * What a part of an object pattern stands for, as far as the source tells. It is open for a
 * parameter, which other calls may give too.
 */
export function valuesBound(
  trees: SyntaxTrees,
  property: PropertyNode,
): { readonly values: readonly AnyNode[]; readonly isOpen: boolean } {
  const name = keyOf(property)
  const { value } = property
  const inDefault = value.type === 'AssignmentPattern' ? [value.right] : []
  const { values, isOpen } = trees.once(property, { values: [], isOpen: true }, () =>
    sourcesOf(trees, trees.parentOf(property)!),
  )
  const inner = trees.once(property, [], () =>
    name === null ? [] : values.flatMap((each) => membersOf(trees, each, name)),
  )
  return { values: [...inner, ...inDefault], isOpen }
}

/** What an object pattern takes apart. */
function sourcesOf(trees: SyntaxTrees, pattern: AnyNode): ReturnType<typeof valuesBound> {
  const outer = trees.parentOf(pattern)!
  // A part that has a default: { inner: { filter } = {} }.
  const holder = outer.type === 'AssignmentPattern' ? trees.parentOf(outer)! : outer
  if (holder.type === 'Property') return valuesBound(trees, holder)
  if (holder.type === 'VariableDeclarator')
    return { values: holder.init ? [holder.init] : [], isOpen: false }
  return { values: argumentsFor(trees, pattern), isOpen: true }
}

/** What a member of an object, a class or an imported file stands for, as the source tells. */
export function valuesOf(trees: SyntaxTrees, member: MemberExpression): readonly AnyNode[] {
  const name = memberName(member)
  return name === null ? [] : membersOf(trees, member.object, name)
}

function membersOf(trees: SyntaxTrees, object: AnyNode, name: string): readonly AnyNode[] {
  const owner = ownerOf(trees, object)
  return owner === null ? [] : valuesOfMember(trees, owner, name)
}

/**
 * The node that has the members of an expression: an object, a class for the class itself and for
 * its instances, an import of a whole file; null if the source does not show it.
 */
function ownerOf(trees: SyntaxTrees, object: AnyNode): AnyNode | null {
  const value =
    object.type === 'ThisExpression'
      ? thisAt(trees, object)
      : object.type === 'MemberExpression'
        ? trees.once(object, null, () => valuesOf(trees, object)[0] ?? null)
        : object
  if (value === null) return null
  const found = definitionOf(trees, value)
  const made = found.type === 'NewExpression' ? definitionOf(trees, found.callee) : found
  return made.type === 'ObjectExpression' ||
    made.type === 'ImportNamespaceSpecifier' ||
    made.type === 'Program' ||
    isClass(made)
    ? made
    : null
}

/** What an owner has under a name: values, functions of methods, assignments to it. */
function valuesOfMember(trees: SyntaxTrees, owner: AnyNode, name: string): readonly AnyNode[] {
  if (owner.type === 'ImportNamespaceSpecifier') {
    const program = trees.programNamedBy(trees.parentOf(owner)!)
    return program === null ? [] : valuesOfMember(trees, program, name)
  }
  if (owner.type === 'Program') {
    const exported = trees.exportIn(owner, name)
    const value = exported?.type === 'VariableDeclarator' ? exported.init : exported
    const members = trees
      .assignmentsToMembers(name)
      .filter(({ left }) => left.type === 'MemberExpression' && isExports(left.object))
      .filter(({ left }) => trees.rootOf(left) === owner)
    return [...(value ? [value] : []), ...members.map(({ right }) => right)]
  }
  const assigned = trees
    .assignmentsToMembers(name)
    .filter(({ left }) => left.type === 'MemberExpression' && ownerOf(trees, left.object) === owner)
  if (!isClass(owner)) {
    const value = memberOf(owner, name)
    return value === undefined ? assigned : [value, ...assigned]
  }
  const declared = owner.body.body.flatMap((each) => {
    if (each.type !== 'MethodDefinition' && each.type !== 'PropertyDefinition') return []
    if (keyOf(each) !== name || !each.value) return []
    if (each.type === 'PropertyDefinition' || each.kind === 'method') return [each.value]
    return each.kind === 'get' ? trees.returnedBy(each.value) : []
  })
  const found = [...declared, ...assigned]
  if (found.length > 0 || !owner.superClass) return found
  const base = definitionOf(trees, owner.superClass)
  return isClass(base) ? trees.once(owner, [], () => valuesOfMember(trees, base, name)) : []
}

/** The class or object in whose member a `this` stands. */
function thisAt(trees: SyntaxTrees, node: AnyNode): AnyNode | null {
  let isInFunction = false
  for (const [outer] of trees.around(node)) {
    if (isClass(outer)) return outer
    if (outer.type === 'ObjectExpression' && isInFunction) return outer
    if (outer.type === 'FunctionDeclaration') return null
    if (isFunction(outer) && outer.type !== 'ArrowFunctionExpression') {
      const holder = trees.parentOf(outer)?.type
      if (holder !== 'MethodDefinition' && holder !== 'Property' && holder !== 'PropertyDefinition')
        return null
      isInFunction = true
    }
  }
  return null
}

/** What is called: `f.call(x, a)`, `f.apply(x, [a])` and `f.bind(x)(a)` are `x.f(a)`. */
export interface Call {
  readonly callee: AnyNode
  /** What `call`, `apply` or `bind` gives as `this`; null for a plain call. */
  readonly receiver: AnyNode | null
  readonly arguments: readonly AnyNode[]
}

export function callOf({ callee, arguments: given }: CallExpression | NewExpression): Call {
  const plain = { callee, receiver: null, arguments: given }
  if (callee.type === 'CallExpression') {
    const bind = callee.callee
    if (bind.type !== 'MemberExpression' || memberName(bind) !== 'bind') return plain
    const [receiver = null, ...first] = callee.arguments
    return { callee: bind.object, receiver, arguments: [...first, ...given] }
  }
  if (callee.type !== 'MemberExpression') return plain
  const { object } = callee
  const method = memberName(callee)
  if (method === 'call') {
    const [receiver = null, ...rest] = given
    return { callee: object, receiver, arguments: rest }
  }
  if (method !== 'apply') return plain
  const isReflect = object.type === 'Identifier' && object.name === 'Reflect'
  const [applied, receiver = null, list] = isReflect ? given : [object, ...given]
  if (applied === undefined) return plain
  const items = list?.type === 'ArrayExpression' ? list.elements.flatMap((each) => each ?? []) : []
  return { callee: applied, receiver, arguments: items }
}

/** The function of the source that is called, or the constructor of a class; null for others. */
export function functionOf(trees: SyntaxTrees, callee: AnyNode): FunctionNode | null {
  const value =
    callee.type === 'MemberExpression' ? valuesOf(trees, callee)[0] : definitionOf(trees, callee)
  const found = value?.type === 'Identifier' ? definitionOf(trees, value) : value
  if (found === undefined) return null
  return isClass(found) ? constructorOf(trees, found) : isFunction(found) ? found : null
}

function constructorOf(trees: SyntaxTrees, node: ClassNode): FunctionNode | null {
  for (const each of node.body.body)
    if (each.type === 'MethodDefinition' && each.kind === 'constructor') return each.value
  const { superClass } = node
  return superClass ? trees.once(node, null, () => functionOf(trees, superClass)) : null
}

/** What the calls in the source give for a parameter of a function. */
export function argumentsFor(trees: SyntaxTrees, parameter: AnyNode): readonly AnyNode[] {
  for (const [owner, inner] of trees.around(parameter)) {
    if (!isFunction(owner)) continue
    const at = owner.params.findIndex((each) => each === parameter || each === inner)
    return trees.calls.flatMap((each) => {
      const call = callOf(each)
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
