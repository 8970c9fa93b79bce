import type {
  AnyNode,
  BinaryExpression,
  CallExpression,
  MemberExpression,
  TemplateLiteral,
} from 'acorn'
import { memberName } from './keys.ts'
import {
  argumentsFor,
  callOf,
  functionOf,
  itemsOf,
  requiredBy,
  valuesBound,
  valuesOf,
} from './names.ts'
import type { SyntaxTrees } from './syntax-trees.ts'

/** A text that an expression can have. */
export interface SourceText {
  /** With `:1` for each part that is known only when the program runs. */
  readonly text: string
  /** True if it has such parts: the text is put together from texts. */
  readonly isAssembled: boolean
  /** The expression that makes the text, which may be far from the one that uses it. */
  readonly node: AnyNode
  /** True if it is made of itself: what can be in it is in the other texts. */
  readonly isCircular?: boolean
}

/** Stands for an unknown part: in a filter it is read as a value, a path, or a piece of a text. */
const UNKNOWN = ':1'
/** Alternatives of one expression that are followed: each condition in it doubles them. */
const MAX_TEXTS = 32
/** Names and calls that are followed one after the other. */
const MAX_DEPTH = 16

/**
 * The texts that an expression can have, as far as the source tells: literals, templates, `+`,
 * methods of texts and arrays, conditions, names, members, and calls of functions of the source.
 * Empty for others, such as a parameter of a function that the source does not call.
 */
export function textsOf(trees: SyntaxTrees, node: AnyNode): readonly SourceText[] {
  return textsWithin(trees, node, []).filter((text) => text.isAssembled || !text.isCircular)
}

type Inner = (part: AnyNode) => readonly SourceText[]

/** `path` holds the expressions that are being read, so that a recursion ends. */
function textsWithin(
  trees: SyntaxTrees,
  node: AnyNode,
  path: readonly AnyNode[],
): readonly SourceText[] {
  if (path.includes(node)) return [{ text: UNKNOWN, isAssembled: false, node, isCircular: true }]
  if (path.length > MAX_DEPTH) return []
  const inner: Inner = (part) => textsWithin(trees, part, [...path, node])
  switch (node.type) {
    case 'Literal': {
      const isText = typeof node.value === 'string' || typeof node.value === 'number'
      return isText ? [{ text: String(node.value), isAssembled: false, node }] : []
    }
    case 'TemplateLiteral':
      return join(node, partsOf(node, inner), '')
    case 'TaggedTemplateExpression':
      return memberName(node.tag) === 'raw' ? inner(node.quasi) : []
    case 'BinaryExpression':
      return node.operator === '+' ? join(node, operandsOf(node).map(inner), '') : []
    case 'ConditionalExpression':
      return [...inner(node.consequent), ...inner(node.alternate)]
    case 'LogicalExpression':
      return [...inner(node.left), ...inner(node.right)]
    case 'AssignmentExpression':
      return node.operator === '+='
        ? join(node, [inner(node.left), inner(node.right)], '')
        : inner(node.right)
    case 'AwaitExpression':
      return inner(node.argument)
    case 'ChainExpression':
      return inner(node.expression)
    case 'SequenceExpression':
      return node.expressions.slice(-1).flatMap(inner)
    case 'Identifier':
      return named(trees, node.name, node, inner)
    case 'MemberExpression':
      return valuesOf(trees, node).flatMap(inner)
    case 'CallExpression': {
      const { callee } = node
      const required = requiredBy(trees, node)
      if (required !== null) return inner(required)
      const called = functionOf(trees, callOf(node).callee)
      if (called !== null) return trees.returnedBy(called).flatMap(inner)
      return callee.type === 'MemberExpression' ? textOfCall(trees, node, callee, inner) : []
    }
    default:
      return []
  }
}

/** Methods that give a text of the same meaning. */
const SAME_TEXT = /^(trim|trimStart|trimEnd|toString|valueOf|toLowerCase|toUpperCase|normalize)$/
/** Methods whose result holds their arguments or parts of the text. */
const OTHER_TEXT = /^(replace|replaceAll|padStart|padEnd|slice|substring|repeat)$/

function textOfCall(
  trees: SyntaxTrees,
  node: CallExpression,
  callee: MemberExpression,
  inner: Inner,
): readonly SourceText[] {
  const { object } = callee
  const name = memberName(callee) ?? ''
  if (name === 'concat') return join(node, [object, ...node.arguments].map(inner), '')
  if (SAME_TEXT.test(name)) return inner(object)
  if (OTHER_TEXT.test(name)) {
    const texts = inner(object)
    const isAssembled =
      texts.some((text) => text.isAssembled) ||
      node.arguments.some((part) => part.type !== 'Literal' && inner(part).length === 0)
    return texts.length > 0 && isAssembled ? [{ text: UNKNOWN, isAssembled, node }] : []
  }
  if (name !== 'join') return []
  const [separator] = node.arguments.flatMap(inner)
  const items = itemsOf(trees, object)
  if (items === null) return [{ text: UNKNOWN, isAssembled: true, node }]
  if (items.isWhole) return join(node, items.items.map(inner), separator?.text ?? ',')
  // Which of the items there are is known only when the program runs.
  const isAssembled = items.items.some((item) => {
    const texts = inner(item)
    return texts.length === 0 || texts.some((text) => text.isAssembled)
  })
  return isAssembled ? [{ text: UNKNOWN, isAssembled, node }] : []
}

/** The operands of a chain of `+`, which may be long. */
function operandsOf(node: BinaryExpression): readonly AnyNode[] {
  const operands: AnyNode[] = []
  let left: AnyNode = node
  while (left.type === 'BinaryExpression' && left.operator === '+') {
    operands.push(left.right)
    left = left.left
  }
  return [...operands, left].reverse()
}

function partsOf(
  { quasis, expressions }: TemplateLiteral,
  inner: Inner,
): (readonly SourceText[])[] {
  return quasis.flatMap((quasi, at) => {
    const text = { text: quasi.value.cooked ?? '', isAssembled: false, node: quasi }
    const expression = expressions[at]
    return expression === undefined ? [[text]] : [[text], inner(expression)]
  })
}

/** Every combination of the texts of the parts; a part without texts is unknown. */
function join(
  node: AnyNode,
  parts: readonly (readonly SourceText[])[],
  separator: string,
): readonly SourceText[] {
  const unknown: readonly SourceText[] = [{ text: UNKNOWN, isAssembled: true, node }]
  return parts.reduce<readonly SourceText[]>(
    (before, part, at) =>
      before
        .flatMap((head) =>
          (part.length === 0 ? unknown : part).map((tail) => ({
            text: at === 0 ? tail.text : head.text + separator + tail.text,
            isAssembled: head.isAssembled || tail.isAssembled,
            isCircular: Boolean(head.isCircular || tail.isCircular),
            node,
          })),
        )
        .slice(0, MAX_TEXTS),
    [{ text: '', isAssembled: false, node }],
  )
}

function named(trees: SyntaxTrees, name: string, at: AnyNode, inner: Inner): readonly SourceText[] {
  const declaration = trees.declarationOf(name, at)
  if (declaration?.type === 'Identifier')
    // Others may call the function too, so what is constant in the calls of the source is unknown.
    return argumentsFor(trees, declaration)
      .flatMap(inner)
      .filter(({ isAssembled }) => isAssembled)
      .slice(0, MAX_TEXTS)
  if (declaration?.type === 'Property') {
    const { values, isOpen } = valuesBound(trees, declaration)
    return values.flatMap(inner).filter(({ isAssembled }) => isAssembled || !isOpen)
  }
  if (declaration?.type !== 'VariableDeclarator') return declaration ? inner(declaration) : []
  const assignments = trees.assignmentsTo(name, declaration)
  const texts = [
    ...(declaration.init ? inner(declaration.init) : []),
    ...assignments.flatMap(({ right }) => inner(right)),
  ]
  const appended = assignments.find(({ operator }) => operator === '+=')
  if (appended === undefined) return texts
  // The whole text is not known. It is assembled if what is appended may be anything.
  const isAssembled =
    texts.some((text) => text.isAssembled) ||
    assignments.some(({ right }) => inner(right).length === 0)
  return isAssembled ? [{ text: UNKNOWN, isAssembled, node: appended }] : []
}
