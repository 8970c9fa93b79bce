import type { Operator } from '../../src/filter/operators.ts'
import { printPath } from '../../src/filter/print-filter.ts'
import type {
  ConditionSyntax,
  ScalarSyntax,
  SubjectSyntax,
  ValueSyntax,
} from '../../src/filter/syntax.ts'
import type { Where } from '../../src/index.ts'
import type { Condition, ConditionOperator } from '../../src/model/condition-types.ts'
import type { Untyped } from '../../src/model/definition.ts'

export type AnyWhere = Where<Untyped, string>

const OPERATORS: { readonly [O in Operator]: ConditionOperator } = {
  equal: '=',
  identical: '===',
  notEqual: '!=',
  notIdentical: '!==',
  greater: '>',
  greaterEqual: '>=',
  less: '<',
  lessEqual: '<=',
  begin: 'begin',
  end: 'end',
  keyword: '%',
  in: 'in',
  isIn: 'in',
  escapedLike: 'like',
}

/** The condition of a syntax tree. `readValue` reads the scalars of a comparison. */
export function buildCondition(
  e: AnyWhere,
  tree: ConditionSyntax,
  readValue: (scalar: ScalarSyntax, subject: SubjectSyntax) => unknown,
): Condition {
  const build = (part: ConditionSyntax) => buildCondition(e, part, readValue)
  switch (tree.kind) {
    case 'and': {
      const [first, ...others] = tree.parts.map(build)
      return first!.and(...others)
    }
    case 'or':
      return e.or(...tree.parts.map(build))
    case 'except':
      return build(tree.left).except(build(tree.right))
    case 'not':
      return build(tree.part).not()
    case 'isTrue':
      return e(pathOf(tree.path))
    case 'comparison': {
      const { path, value } = tree
      const read = (scalar: ScalarSyntax) => readValue(scalar, path)
      const given = value.kind === 'list' ? value.items.map(read) : read(value)
      return e(pathOf(path), OPERATORS[tree.operator], given)
    }
  }
}

function pathOf(subject: SubjectSyntax): string {
  if (subject.kind === 'placeholder') throw new Error('a path is expected')
  return printPath(subject)
}

/**
 * The tree without positions. Nested `and`s, and an `or` that begins with an `or`, are flattened,
 * since their texts are equal. `change` replaces the values of comparisons.
 */
export function normalized(
  tree: ConditionSyntax,
  change: (value: ValueSyntax) => unknown,
): unknown {
  const of = (part: ConditionSyntax) => normalized(part, change)
  switch (tree.kind) {
    case 'and':
    case 'or': {
      const parts = tree.parts.flatMap((part, at) => {
        const inner = of(part) as { readonly kind: string; readonly parts: readonly unknown[] }
        const isSame = inner.kind === tree.kind && (tree.kind === 'and' || at === 0)
        return isSame ? inner.parts : [inner]
      })
      return { kind: tree.kind, parts }
    }
    case 'except':
      return { kind: 'except', left: of(tree.left), right: of(tree.right) }
    case 'not':
      return { kind: 'not', part: of(tree.part) }
    case 'isTrue':
      return { kind: 'isTrue', path: pathOf(tree.path) }
    case 'comparison': {
      const { operator, value } = tree
      return { kind: 'comparison', path: pathOf(tree.path), operator, value: change(value) }
    }
  }
}
