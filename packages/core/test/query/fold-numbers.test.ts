import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldNumbers } from '../../src/aggregate/fold-numbers.ts'
import { NULL_INT } from '../../src/storage/column.ts'
import { runs } from '../runs.ts'

// Longer than two blocks, with no nulls, with single nulls, or with nulls in a random pattern.
const column = fc.record({
  length: fc.oneof(fc.nat(12), fc.integer({ min: 1020, max: 2100 })),
  pattern: fc.array(fc.integer({ min: -2147483647, max: 2147483647 }), {
    minLength: 1,
    maxLength: 9,
  }),
  nulls: fc.array(fc.nat(2100), { maxLength: 4 }),
  nullStep: fc.constantFrom(0, 1, 7),
})

test('folding equals adding the numbers one by one, without nulls', () => {
  fc.assert(
    fc.property(column, fc.boolean(), ({ length, pattern, nulls, nullStep }, isInt) => {
      const values = Array.from({ length: length + 5 }, (_, at) => {
        const isNull = nulls.includes(at) || (nullStep > 0 && at % nullStep === 0)
        return isNull ? null : pattern[at % pattern.length]
      })
      const data = isInt
        ? Int32Array.from(values, (value) => value ?? NULL_INT)
        : Float64Array.from(values, (value) => value ?? Number.NaN)
      const expected = values.slice(0, length).filter((value) => value !== null)
      const { count, sum, min, max } = foldNumbers(data, length)
      expect(count).toBe(expected.length)
      expect(sum).toBe(expected.reduce((total, value) => total + value, 0))
      if (count > 0) expect([min, max]).toEqual([Math.min(...expected), Math.max(...expected)])
    }),
    runs(300),
  )
})
