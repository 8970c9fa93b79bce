import type { ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { bindTest } from './bind-test.ts'
import { type BindContext, NOTHING, type OpenDraft } from './context.ts'
import type { Comparable } from './convert-value.ts'
import type { Operator } from './operators.ts'
import type { FilterParameters } from './parameters.ts'
import type { Predicate } from './predicate.ts'
import type { ValueSyntax } from './syntax.ts'

/** A comparison of a column or a computed attribute that waits for the value of its placeholder. */
export class ColumnComparison implements OpenDraft {
  readonly kind = 'open'
  readonly attribute: StorageAttribute | ComputedAttribute
  readonly operator: Operator
  readonly value: ValueSyntax
  readonly #context: BindContext
  readonly #target: Comparable

  constructor(
    context: BindContext,
    attribute: StorageAttribute | ComputedAttribute,
    target: Comparable,
    operator: Operator,
    value: ValueSyntax,
  ) {
    this.attribute = attribute
    this.operator = operator
    this.value = value
    this.#context = context
    this.#target = target
  }

  bind(parameters: FilterParameters | undefined): Predicate {
    return columnPredicate(
      this.#context,
      this.attribute,
      this.#target,
      this.operator,
      this.value,
      parameters,
    )
  }
}

/** A comparison of a column or a computed attribute with a value. Throws as `bindTest`. */
export function columnPredicate(
  context: BindContext,
  attribute: StorageAttribute | ComputedAttribute,
  target: Comparable,
  operator: Operator,
  value: ValueSyntax,
  parameters: FilterParameters | undefined,
): Predicate {
  const test = bindTest(context, target, operator, value, parameters)
  if (test === false) return NOTHING
  return attribute.kind === 'storage'
    ? { kind: 'compare', attribute, test }
    : { kind: 'computed', attribute, test }
}
