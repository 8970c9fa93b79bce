/** Rank of a type in the order of mixed values: null, booleans, text, numbers. */
function rankOf(value: null | boolean | number | string): number {
  switch (typeof value) {
    case 'object':
      return 0
    case 'boolean':
      return 1
    case 'string':
      return 2
    default:
      return 3
  }
}

/**
 * The one total order of scalars: null first, then false, true, then text, then numbers. Text is
 * compared as it is, so give comparison keys (`textKey`). Returns a negative number, zero or a
 * positive number, as for `sort`.
 */
export function compareScalars(
  a: null | boolean | number | string,
  b: null | boolean | number | string,
): number {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  const byType = rankOf(a) - rankOf(b)
  if (byType !== 0) return byType
  // Both are booleans or both are text: two nulls are equal above.
  return (a as string | boolean) < (b as string | boolean) ? -1 : 1
}
