/**
 * Count, sum, average, minimum and maximum, for stores without aggregates. @param {readonly
 * number[]} values
 */
export function aggregateOf(values) {
  const found = { count: values.length, sum: 0, average: null, min: null, max: null }
  for (const value of values) {
    found.sum += value
    if (found.min === null || value < found.min) found.min = value
    if (found.max === null || value > found.max) found.max = value
  }
  if (values.length > 0) found.average = found.sum / values.length
  return found
}
