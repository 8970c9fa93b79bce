import { EntiaError } from '../errors.ts'

/** Checks a number of members to skip or to take; infinity means all. Throws `argumentInvalid`. */
export function wholeNumber(argument: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER
  throw new EntiaError('argumentInvalid', {
    argument,
    expected: 'a whole number from 0',
    found: String(value),
  })
}
