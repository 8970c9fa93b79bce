import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactSum } from '../../src/aggregate/exact-sum.ts'
import { wideSum } from '../../src/aggregate/fold-numbers.ts'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { runs } from '../runs.ts'

const LARGEST = Number.MAX_VALUE
const LEAST = Number.MIN_VALUE

test('a sum is exact even if a partial sum exceeds the range of doubles', () => {
  expect(exactSum([1e308, 1e308, -1e308])).toBe(1e308)
  expect(exactSum([-1e308, -1e308, LEAST, 1e308, 1e308])).toBe(LEAST)
  expect(exactSum([LARGEST, LARGEST, -LARGEST, -LARGEST])).toBe(0)
  expect(exactSum([LARGEST, 2 ** 970, -(2 ** 970), -1])).toBe(LARGEST)
})

test('a sum beyond the range of doubles is infinite, and never NaN', () => {
  expect(exactSum([1e308, 1e308])).toBe(Number.POSITIVE_INFINITY)
  expect(exactSum([-1e308, 1, -1e308])).toBe(Number.NEGATIVE_INFINITY)
  // Half a step above the largest double rounds to infinity, less does not.
  expect(exactSum([LARGEST, 2 ** 970])).toBe(Number.POSITIVE_INFINITY)
  expect(exactSum([LARGEST, 2 ** 970, -LEAST])).toBe(LARGEST)
})

test('both algorithms for exact sums agree where both apply', () => {
  const double = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
    fc.constantFrom(0.1, 0.2, 1e16, 1, -1e16, LEAST, -LEAST, 2 ** 53, 2 ** -1022, 1e300, -1e300),
  )
  fc.assert(
    fc.property(fc.array(double, { maxLength: 12 }), (values) => {
      expect(wideSum(values) + 0).toBe(exactSum(values) + 0)
    }),
    runs(2000),
  )
})

test('sum and average of a column do not depend on the size of partial sums', () => {
  const Thing = defineDataClass('Thing', {
    ID: attribute.long({ key: true }),
    size: attribute.number(),
  })
  const store = createDataStore({ name: 'sums', dataClasses: [Thing] })
  store.Thing.load([1e308, 1e308, -1e308, null, 4].map((size, ID) => ({ ID, size })))
  expect(store.Thing.all().sum('size')).toBe(1e308)
  expect(store.Thing.query('ID < 4').compute('size')).toMatchObject({
    sum: 1e308,
    average: 1e308 / 3,
  })
})
