import { aboutIndex, type Explained, usesIndex } from './uses-index.ts'

/** For `expect.extend` of vitest and jest. */
export const matchers = {
  /**
   * `expect(selection).toUseIndex('Employee.salary')` passes if a part of the plan uses the index.
   */
  toUseIndex(
    explained: unknown,
    index: string,
  ): { readonly pass: boolean; readonly message: () => string } {
    if (!isExplained(explained))
      throw new TypeError(
        'toUseIndex expects a selection of a store in this process, or a plan from `explain` of a dataclass.',
      )
    const pass = usesIndex(explained, index)
    return { pass, message: () => aboutIndex(explained, index, !pass) }
  },
}

function isExplained(value: unknown): value is Explained {
  if (typeof value !== 'object' || value === null) return false
  return (
    // The plan of a selection of a client arrives later, and is data of the server.
    ('explain' in value &&
      typeof value.explain === 'function' &&
      !(Symbol.asyncIterator in value)) ||
    ('root' in value && 'condition' in value)
  )
}
