import { expect, test } from 'vitest'
import { exactSum } from '../../src/aggregate/exact-sum.ts'
import { foldNumbers, wideSum } from '../../src/aggregate/fold-numbers.ts'
import { NULL_INT } from '../../src/storage/column.ts'

const LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 1024, 1025, 1027, 1030, 2051]

/** The simplest implementation. */
function folded(values: readonly (number | null)[]) {
  const numbers = values.filter((value) => value !== null)
  return {
    count: numbers.length,
    sum: numbers.reduce((total, value) => total + value, 0),
    ...(numbers.length === 0 ? {} : { min: Math.min(...numbers), max: Math.max(...numbers) }),
  }
}
function mustFold(values: readonly (number | null)[]): void {
  const expected = JSON.stringify(folded(values))
  // Values behind the last record are not read.
  const behind = [-1e6, 1e6]
  const ints = Int32Array.from([...values, ...behind], (value) => value ?? NULL_INT)
  const doubles = Float64Array.from([...values, ...behind], (value) => value ?? Number.NaN)
  for (const data of [ints, doubles]) {
    const { count, sum, min, max } = foldNumbers(data, values.length)
    const found = JSON.stringify({ count, sum, ...(count === 0 ? {} : { min, max }) })
    if (found !== expected) expect([values, found]).toEqual([values, expected])
    if (count === 0) expect(min).toBeGreaterThan(max)
  }
}

test('minimum and maximum are found at any place, in columns of any length', () => {
  for (const length of LENGTHS)
    for (const place of [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 1021, 1022, 1023, 1024, 1026, 1027, 1028, 1029, 2047, 2048, 2050,
    ])
      if (place < length && (place < 9 || place > length - 9 || place % 1024 < 4))
        for (const value of [-5000, 5000])
          mustFold(Array.from({ length }, (_, at) => (at === place ? value : (at % 13) - 6)))
})

test('ascending and descending numbers have their ends as minimum and maximum', () => {
  for (const length of [6, 11, 1030])
    for (const step of [1, -1, 0.5, -3])
      mustFold(
        Array.from({ length }, (_, at) => (Number.isInteger(step) ? 0 : 1) + Math.trunc(at * step)),
      )
})

test('nulls do not count, at any place', () => {
  for (const length of LENGTHS) {
    mustFold(Array.from({ length }, () => null))
    for (const places of [[0], [1], [2], [3], [1023], [1024], [1025, 3], [2046], [2050, 2049]])
      mustFold(
        Array.from({ length }, (_, at) => (places.includes(at) ? null : ((at * 7) % 29) - 11)),
      )
    mustFold(Array.from({ length }, (_, at) => (at % 3 === 0 ? null : -at)))
    mustFold(Array.from({ length }, (_, at) => (at % 3 === 0 ? null : at)))
  }
  mustFold(Array.from({ length: 1030 }, (_, at) => (at < 1026 ? at : null)))
  mustFold(Array.from({ length: 1030 }, (_, at) => (at < 1026 ? null : -at)))
})

/**
 * Multiples of 2^-60: as whole numbers of such steps they add up exactly and are rounded once, at
 * the end.
 */
function stepwise(values: readonly number[]): number {
  return Number(values.reduce((total, value) => total + BigInt(value * 2 ** 60), 0n)) / 2 ** 60
}
const PARTS = [2 ** 53, -(2 ** 53), 1, -1, 2 ** -60, -(2 ** -60), 3 * 2 ** 52, 0.75, -(2 ** 54) - 4]

test('a sum of whole steps is rounded once, half-way cases by the smaller partial sums', () => {
  for (const a of PARTS)
    for (const b of PARTS)
      for (const c of PARTS)
        for (const d of PARTS) {
          const sum = exactSum([a, b, c, d])
          if (sum !== stepwise([a, b, c, d]))
            expect([a, b, c, d, sum]).toEqual([a, b, c, d, stepwise([a, b, c, d])])
        }
  let seed = 7
  const next = (): number => PARTS[(seed = (seed * 1103515245 + 12345) % 2147483648) % PARTS.length]
  for (let time = 0; time < 300; time++) {
    const values = Array.from({ length: time % 12 }, () => next() * 2 ** -(time % 5))
    const scaled = values.map((value) => value * 2 ** (time % 5))
    expect(exactSum(scaled)).toBe(stepwise(scaled))
    expect(wideSum(scaled) + 0).toBe(stepwise(scaled))
  }
})

test('a sum of zero has no sign, and the sum of no values is zero', () => {
  for (const values of [[], [0], [-0], [1, -1], [-0, -0], [5e-324, -5e-324]]) {
    expect(Object.is(exactSum(values), 0)).toBe(true)
    expect(wideSum(values) + 0).toBe(0)
  }
})

test('the smallest and largest doubles are added without loss', () => {
  const least = Number.MIN_VALUE
  const normal = 2 ** -1022
  for (const [values, sum] of [
    [[least, least], 2 * least],
    [[-least, -least, least], -least],
    [[normal, -least], normal - least],
    [[normal, normal], 2 * normal],
    [[1e308, 1e308, -1e308, 1], 1e308],
    [[-1e308, -1e308, 1e308], -1e308],
    [[1e308, 1e308, -1e308, -1e308, 0.5, least], 0.5],
    [[Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, -Number.MAX_VALUE, least], least],
    [[1e308, 1e308], Number.POSITIVE_INFINITY],
    [[-1e308, -1e308], Number.NEGATIVE_INFINITY],
  ] as const) {
    expect(exactSum(values)).toBe(sum)
    expect(wideSum(values)).toBe(sum)
  }
})
