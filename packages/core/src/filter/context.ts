import type { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { everything, type Sees } from '../model/path.ts'
import { filterError } from './filter-errors.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from './limits.ts'
import type { FilterParameters } from './parameters.ts'

/** What a caller may say about binding. */
export interface BindOptions {
  readonly limits?: FilterLimits
  /** Attributes for which this is false are unknown to the filter, also in messages. All are visible when not given. */
  readonly isVisible?: Sees
  /**
   * Dataclasses of which some entities are hidden: a relation to one is then always followed, for its key alone does not tell
   * whether it leads anywhere. None when not given.
   */
  readonly isRestricted?: (dataClass: ClassModel) => boolean
}

/** What binding one text knows beside its syntax. */
export interface BindContext {
  /** What the text is: a deeper error stands alone for an order, and gets its place in a filter. */
  readonly of: 'filter' | 'order'
  readonly text: string
  readonly limits: FilterLimits
  readonly isVisible: Sees
  readonly isRestricted: (dataClass: ClassModel) => boolean
  /** Where placeholders for attributes are read from; a filter without them is bound before there are values. */
  readonly attributeParameters: FilterParameters | undefined
}

export function bindContext(of: 'filter' | 'order', text: string, options: BindOptions): BindContext {
  const { limits = DEFAULT_FILTER_LIMITS, isVisible = everything, isRestricted = none } = options
  return { of, text, limits, isVisible, isRestricted, attributeParameters: undefined }
}

const none = (): boolean => false

/** An error about one name or value of the text, with its place where the text is a filter. */
export function refusedAt(context: BindContext, at: number, cause: EntiaError): EntiaError {
  return context.of === 'order' ? cause : cannotBeAnalysed(context, at, cause.message, cause)
}

/** The error of a filter that is well written but asks for something impossible; `at` is the place in the text. */
export function cannotBeAnalysed(context: BindContext, at: number, problem: string, cause?: EntiaError): EntiaError {
  const options = cause === undefined ? undefined : { cause }
  return filterError('filterCannotBeAnalysed', { filter: context.text, offset: at, problem }, options)
}
