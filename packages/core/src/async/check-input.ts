import type { ClassModel } from '../model/catalog.ts'
import { refused } from '../value/check-options.ts'
import { describeFound } from '../value/refusal.ts'

/**
 * Refuses values that are not an object, before they are read as one. A function is refused too: it
 * edits a draft in a store in memory, and no store elsewhere can run it. Throws `argumentInvalid`.
 */
export function checkInput({ name }: ClassModel, values: unknown): asserts values is object {
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return
  const argument = `The input for the "${name}" dataclass`
  throw refused(argument, 'an object of attributes', describeFound(values))
}

/** As `checkInput`, for the changes of `saveAll`. */
export function checkChanges(
  model: ClassModel,
  changes: unknown,
): asserts changes is readonly object[] {
  if (!Array.isArray(changes)) throw refused('The changes', 'an array', describeFound(changes))
  for (const change of changes) checkInput(model, change)
}
