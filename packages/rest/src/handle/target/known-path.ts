import { type ClassModel, isEntiaError } from '@entia/core'
import type { KnownPath } from '../../engine/names.ts'
import { restError } from '../../errors/rest-error.ts'
import type { HandleContext } from '../context/context.ts'

/**
 * Resolves a path of a list. Throws `refusal` around an unknown name or one that leads nowhere,
 * budgetExceeded for a path that is too long.
 */
export function knownPath(
  dataClass: ClassModel,
  path: string,
  refusal: 'attributeListInvalid' | 'orderByInvalid',
  { caller, limits }: HandleContext,
): KnownPath {
  try {
    return caller.names.path(dataClass, path, limits.maxPathDepth)
  } catch (cause) {
    if (!isEntiaError(cause, 'attributeNotFound') && !isEntiaError(cause, 'attributeNotApplicable'))
      throw cause
    throw restError(
      refusal,
      { dataClass: dataClass.name, attribute: path.slice(0, 100) },
      { cause },
    )
  }
}
