import type { ClassModel } from '../model/catalog.ts'
import { bindOrderSyntax } from './bind-order-by.ts'
import { type BindOptions, bindContext } from './context.ts'
import { closeDraft, type Draft, EVERYTHING } from './draft.ts'
import { draftCondition } from './draft-condition.ts'
import type { FilterParameters } from './parameters.ts'
import { parseFilter } from './parse-filter.ts'
import { findPlaceholders } from './placeholders.ts'
import type { BoundFilter, OrderBy } from './predicate.ts'
import { UsedParameters } from './used-parameters.ts'

/**
 * A filter text prepared for one dataclass: names are looked up and written values converted. It is
 * cached by text and bound to the values of its placeholders by each query.
 */
export interface PreparedFilter {
  readonly dataClass: ClassModel
  readonly text: string
  /**
   * Names of the placeholders, without colons, in the order of the text; empty when there are none.
   */
  readonly placeholders: readonly string[]
  /** The part that `bind` completes; null if a placeholder stands for an attribute. */
  readonly draft: Draft | null
  readonly orderBy: OrderBy | null
  /**
   * The filter with its values. Without placeholders it is the same frozen object each time. Values
   * that the text does not use are refused. Cost: O(placeholders); a placeholder for an attribute
   * makes it O(text). Throws `placeholderMissing` for one that is missing or null,
   * `filterCannotBeAnalysed` for a value of a wrong type, `parameterUnused`.
   */
  bind(parameters?: FilterParameters): BoundFilter
}

/**
 * Parses a filter and resolves it against a dataclass. Blank text selects everything. Cost:
 * O(text). Throws the errors of `parseFilter`, `filterCannotBeAnalysed` with the place of the name
 * or value that does not fit (`cause` is `attributeNotFound` for an unknown name),
 * `filterTooLarge`.
 */
export function prepareFilter(
  text: string,
  dataClass: ClassModel,
  options: BindOptions = {},
): PreparedFilter {
  const context = bindContext('filter', text, options)
  const { condition, orderBy: orderSyntax } = parseFilter(text, context.limits)
  const orderBy = orderSyntax === null ? null : bindOrderSyntax(context, dataClass, orderSyntax)
  const { names: placeholders, forAttributes } = findPlaceholders(text, condition, context.limits)
  const used = new UsedParameters(text, placeholders)
  if (forAttributes) {
    const bind = (parameters?: FilterParameters): BoundFilter => {
      const draft =
        condition === null
          ? EVERYTHING
          : draftCondition({ ...context, attributeParameters: parameters }, dataClass, condition)
      const predicate = closeDraft(draft, parameters)
      used.check(parameters)
      return { dataClass, text, predicate, orderBy }
    }
    return { dataClass, text, placeholders, draft: null, orderBy, bind }
  }
  const draft = condition === null ? EVERYTHING : draftCondition(context, dataClass, condition)
  if (draft.kind === 'open') {
    const bind = (parameters?: FilterParameters): BoundFilter => {
      const predicate = draft.bind(parameters)
      used.check(parameters)
      return { dataClass, text, predicate, orderBy }
    }
    return { dataClass, text, placeholders, draft, orderBy, bind }
  }
  let always: BoundFilter | null = null
  const bind = (parameters?: FilterParameters): BoundFilter => {
    used.check(parameters)
    always ??= Object.freeze({ dataClass, text, predicate: draft, orderBy })
    return always
  }
  return { dataClass, text, placeholders, draft, orderBy, bind }
}
