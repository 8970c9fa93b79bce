import { isEntiaError } from '../errors.ts'
import type { AliasAttribute, ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { checkedValue } from './patch.ts'
import { inJson, isSameJson } from './same-json.ts'

/**
 * True if a given value equals what reads show, in any form of the attribute's type: a `Date`
 * equals its text, a number that is not finite equals null. `value` is no image or BLOB.
 *
 * @internal For other packages of Entia.
 */
export function isSameAsShown(
  attribute: StorageAttribute | ComputedAttribute | AliasAttribute,
  given: unknown,
  value: unknown,
): boolean {
  const shown = inJson(value)
  if (isSameJson(given, shown)) return true
  const typed = attribute.kind === 'alias' ? attribute.target : attribute
  try {
    return isSameJson(checkedValue(typed, given), checkedValue(typed, shown))
  } catch (error) {
    if (isEntiaError(error, 'valueInvalid')) return false
    throw error
  }
}
