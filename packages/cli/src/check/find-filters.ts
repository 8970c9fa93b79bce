import type { Catalog, ClassModel } from '@entia/core'
import type { AnyNode } from 'acorn'
import { keyOf, memberName, memberOf } from './keys.ts'
import { callOf, definitionOf, functionOf } from './names.ts'
import { methodNameOf, receiverOf } from './receiver.ts'
import { type FunctionNode, isFunction, type SyntaxTrees } from './syntax-trees.ts'
import { type SourceText, textsOf } from './text-of.ts'

/** A filter that the source gives to the store or returns as a rule. */
export interface SourceFilter extends SourceText {
  /** A rule compares texts exactly, a query by the filter language. */
  readonly use: 'query' | 'rule'
  /** The dataclasses that the source names; null if any may be meant. */
  readonly dataClasses: readonly ClassModel[] | null
  /** True if the place alone shows that the text is a filter, whatever it says. */
  readonly isSure: boolean
  /** True if the filter reads a whole dataclass and not the members of a selection. */
  readonly readsAll: boolean
  /** The members of the object of a rule. */
  readonly wildcards: boolean
  readonly isFolded: boolean
  /** The text of a constant parameter; null for one that is known only when the program runs. */
  constantOf(placeholder: string, position: number | null): string | null
}

type PropertyNode = Extract<AnyNode, { readonly type: 'Property' }>

/** Methods whose first argument is a filter and the second the values of its placeholders. */
const FILTER_CALLS = new Set(['query', 'explain', 'trace', 'plans', 'having'])
/** Members of a rule beside its filter. */
const RULE_MEMBERS = ['parameters', 'wildcards', 'collation']

/** Every filter in the source whose text is known, or known to be put together. */
export function* findFilters(trees: SyntaxTrees, catalog: Catalog): Iterable<SourceFilter> {
  for (const node of trees.nodes()) {
    switch (node.type) {
      case 'CallExpression':
      case 'TaggedTemplateExpression':
        yield* queriesIn(trees, catalog, node)
        break
      case 'Property':
        if (trees.parentOf(node)?.type === 'ObjectExpression') yield* rulesIn(trees, catalog, node)
        break
      case 'AssignmentExpression':
        // A rule in a member of a variable: rows.Employee = …
        if (catalog.byName.has(memberName(node.left) ?? ''))
          yield* ruleOf(trees, catalog, node.right, null, false)
        break
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        if (nameOf(trees, node) === 'authorize')
          for (const answer of trees.returnedBy(node))
            yield* ruleOf(trees, catalog, answer, null, true)
    }
  }
}

function* queriesIn(
  trees: SyntaxTrees,
  catalog: Catalog,
  node: AnyNode & { readonly type: 'CallExpression' | 'TaggedTemplateExpression' },
): Iterable<SourceFilter> {
  const call = node.type === 'CallExpression' ? callOf(node) : { callee: node.tag, receiver: null }
  const { callee } = call
  if (!FILTER_CALLS.has(methodNameOf(trees, callee, call.receiver !== null) ?? '')) return
  const object = call.receiver ?? (callee.type === 'MemberExpression' ? callee.object : null)
  const receiver = object === null ? null : receiverOf(trees, catalog, object)
  const use = {
    use: 'query' as const,
    dataClasses: receiver?.dataClasses ?? null,
    isSure: receiver !== null,
    readsAll: receiver?.isWhole ?? false,
    wildcards: true,
    isFolded: true,
  }
  if (node.type === 'TaggedTemplateExpression') {
    const { quasis, expressions } = node.quasi
    const text = quasis.map(({ value }, at) => (at === 0 ? '' : `:${at}`) + value.cooked).join('')
    const constantOf = (_: string, position: number | null) =>
      constantAt(trees, expressions[(position ?? 0) - 1])
    yield { ...use, text, isAssembled: false, node: node.quasi, constantOf }
    return
  }
  const [filter, parameters] = callOf(node).arguments
  if (filter === undefined) return
  for (const text of textsOf(trees, filter))
    yield { ...use, ...text, constantOf: constantsIn(trees, parameters) }
}

/** A member `filter` of an object, or a text beside the name of a dataclass in `rows`. */
function* rulesIn(
  trees: SyntaxTrees,
  catalog: Catalog,
  member: PropertyNode,
): Iterable<SourceFilter> {
  const name = keyOf(member)
  const rule = trees.parentOf(member)!
  if (name === 'filter') {
    const isRule = RULE_MEMBERS.some((each) => memberOf(rule, each) !== undefined)
    yield* ruleOf(trees, catalog, member.value, rule, isRule || isInRule(trees, member))
    return
  }
  // Rules of another name than that of the member, as in { authorize: mayRead } and { rows: own }.
  if (name === 'authorize' && !isFunction(member.value)) {
    const authorize = functionOf(trees, member.value)
    if (authorize !== null && nameOf(trees, authorize) !== 'authorize')
      for (const answer of trees.returnedBy(authorize))
        yield* ruleOf(trees, catalog, answer, null, true)
  }
  if (name !== 'rows') return
  const rows = definitionOf(trees, member.value)
  if (rows.type !== 'ObjectExpression') return
  for (const each of rows.properties)
    if (each.type === 'Property' && catalog.byName.has(keyOf(each) ?? ''))
      yield* ruleOf(trees, catalog, each.value, null, true)
}

function* ruleOf(
  trees: SyntaxTrees,
  catalog: Catalog,
  filter: AnyNode,
  rule: AnyNode | null,
  isSure: boolean,
): Iterable<SourceFilter> {
  const dataClasses = namedAround(trees, catalog, filter)
  const wildcards = rule === null ? undefined : memberOf(rule, 'wildcards')
  const collation = rule === null ? undefined : memberOf(rule, 'collation')
  const use = {
    use: 'rule' as const,
    dataClasses,
    isSure: isSure || dataClasses !== null,
    readsAll: true,
    wildcards: wildcards !== undefined && !(wildcards.type === 'Literal' && !wildcards.value),
    isFolded:
      collation !== undefined && textsOf(trees, collation).every((c) => c.text === 'folded'),
    constantOf: constantsIn(trees, rule === null ? undefined : memberOf(rule, 'parameters')),
  }
  for (const text of textsOf(trees, filter)) yield { ...use, ...text }
}

/** True inside a function `authorize` or a member `rows`. */
function isInRule(trees: SyntaxTrees, node: AnyNode): boolean {
  for (const [outer] of trees.around(node)) {
    if (isFunction(outer) && nameOf(trees, outer) === 'authorize') return true
    if (outer.type === 'Property' && keyOf(outer) === 'rows') return true
  }
  return false
}

/** The name of a function: its own, or that of the variable or member that it is the value of. */
function nameOf(trees: SyntaxTrees, node: FunctionNode): string | null {
  if (node.id) return node.id.name
  const parent = trees.parentOf(node)
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.id.type === 'Identifier' ? parent.id.name : null
    case 'AssignmentExpression':
      return memberName(parent.left)
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return keyOf(parent)
    default:
      return null
  }
}

/**
 * The dataclasses that conditions around a rule name, as `dataClass === 'Document'` does, or the
 * member that it is the value of; null if there is none.
 */
function namedAround(
  trees: SyntaxTrees,
  catalog: Catalog,
  node: AnyNode,
): readonly ClassModel[] | null {
  for (const [outer, inner] of trees.around(node)) {
    const names = namesBy(outer, inner)
    const found = names.flatMap((name) => catalog.byName.get(name) ?? [])
    if (found.length > 0) return found
    if (isFunction(outer) && nameOf(trees, outer) === 'authorize') return null
  }
  return null
}

function namesBy(outer: AnyNode, inner: AnyNode): readonly string[] {
  switch (outer.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return inner === outer.consequent ? namesIn(outer.test) : []
    case 'LogicalExpression':
      return outer.operator === '&&' && inner === outer.right ? namesIn(outer.left) : []
    case 'SwitchStatement': {
      const at = inner.type === 'SwitchCase' ? outer.cases.indexOf(inner) : -1
      // Cases without statements fall through to this one.
      let first = at
      while (first > 0 && outer.cases[first - 1]!.consequent.length === 0) first--
      return outer.cases.slice(first, at + 1).flatMap(({ test }) => (test ? namesIn(test) : []))
    }
    case 'Property':
      return [keyOf(outer) ?? '']
    default:
      return []
  }
}

/** The texts that a condition compares with, joined by `&&` or `||`. */
function namesIn(test: AnyNode): readonly string[] {
  if (test.type === 'LogicalExpression') return [...namesIn(test.left), ...namesIn(test.right)]
  if (test.type === 'BinaryExpression' && /^===?$/.test(test.operator))
    return [...namesIn(test.left), ...namesIn(test.right)]
  return test.type === 'Literal' && typeof test.value === 'string' ? [test.value] : []
}

/** Reads the constants among given parameters. */
function constantsIn(trees: SyntaxTrees, given: AnyNode | undefined): SourceFilter['constantOf'] {
  return (name, position) => {
    if (given?.type === 'ArrayExpression')
      return constantAt(trees, position === null ? null : given.elements[position - 1])
    return given === undefined ? null : constantAt(trees, memberOf(given, name))
  }
}

function constantAt(trees: SyntaxTrees, node: AnyNode | null | undefined): string | null {
  if (!node) return null
  const texts = textsOf(trees, node)
  return texts.length === 1 && !texts[0]!.isAssembled ? texts[0]!.text : null
}
