import { refused } from './check-options.ts'
import { describeFound } from './refusal.ts'

/**
 * Checks a number of items to skip or to take, at least `least`; infinity means all. Throws
 * `argumentInvalid`.
 */
export function wholeNumber(argument: string, value: unknown, least = 0): number {
  if (Number.isInteger(value) && (value as number) >= least) return value as number
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER
  const found = typeof value === 'number' ? String(value) : describeFound(value)
  throw refused(argument, `a whole number from ${least}`, found)
}
