import type { ClassModel } from '../model/catalog.ts'
import type { AttributeType } from '../value/types.ts'
import { type BindContext, bindContext } from './context.ts'
import type { Operator } from './operators.ts'
import { parseFilter } from './parse-filter.ts'
import { printPath } from './print-filter.ts'
import { resolveFilterPath } from './resolve-filter-path.ts'
import type { ComparisonSyntax, ConditionSyntax, PathSyntax, ValueSyntax } from './syntax.ts'

/** One comparison of a filter text, with what the model says of its left side. */
export interface WrittenComparison {
  /** The path as written: `employer.name`. */
  readonly path: string
  /** Of the values compared: `object` for a property, that of the key for a relation. */
  readonly type: AttributeType
  readonly operator: Operator
  /** True if written `like` or `esclike`, which say that a pattern is meant. */
  readonly isPattern: boolean
  readonly value: ValueSyntax
}

/**
 * The comparisons of a filter in the order of its text, for tools that examine filters without
 * values. Comparisons of a placeholder that stands for an attribute are left out. Cost: O(text).
 * Throws the errors of `parseFilter`, and `filterCannotBeAnalysed` for a path that the dataclass
 * does not have. Values are not converted.
 */
export function writtenComparisons(
  text: string,
  dataClass: ClassModel,
): readonly WrittenComparison[] {
  const found: WrittenComparison[] = []
  const { condition } = parseFilter(text)
  if (condition !== null) gather(bindContext('filter', text, {}), dataClass, condition, found)
  return found
}

function gather(
  context: BindContext,
  dataClass: ClassModel,
  condition: ConditionSyntax,
  found: WrittenComparison[],
): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.parts) gather(context, dataClass, part, found)
      return
    case 'except':
      gather(context, dataClass, condition.left, found)
      gather(context, dataClass, condition.right, found)
      return
    case 'not':
      gather(context, dataClass, condition.part, found)
      return
    case 'isTrue':
      if (condition.path.kind === 'path') resolveFilterPath(context, dataClass, condition.path)
      return
    case 'comparison':
      if (condition.path.kind === 'path')
        found.push(written(context, dataClass, condition.path, condition))
  }
}

function written(
  context: BindContext,
  dataClass: ClassModel,
  path: PathSyntax,
  { operator, value }: ComparisonSyntax,
): WrittenComparison {
  const { attribute } = resolveFilterPath(context, dataClass, path)
  return {
    path: printPath(path),
    type: 'target' in attribute ? attribute.target.key.type : attribute.type,
    operator,
    // The tree has no spellings. The operator is the word before the value.
    isPattern: context.text.slice(0, value.at).trimEnd().toLowerCase().endsWith('like'),
    value,
  }
}
