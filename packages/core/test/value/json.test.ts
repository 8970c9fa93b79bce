import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/value/check-options.ts'
import { copyJson, MAX_JSON_DEPTH, MAX_JSON_KEYS } from '../../src/value/json.ts'

const nested = (levels: number): object => {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value]
  return value
}
const wide = (keys: number): object =>
  Object.fromEntries(Array.from({ length: keys }, (_, i) => [`a${i}`, i]))

describe('how large an object value may be', () => {
  test.each([
    ['levels', MAX_JSON_DEPTH, 64, nested],
    ['properties', MAX_JSON_KEYS, 1000, wide],
    ['values', 1_000_000, 1_000_000, (values: number) => new Array(values - 1).fill(0)],
  ] as const)(
    '%s: one less and just as many are kept, one more is refused and the limit named',
    (what, limit, documented, make) => {
      expect(limit).toBe(documented)
      for (const size of [limit - 1, limit])
        expect(copyJson(make(size))).not.toBeInstanceOf(Refusal)
      const refusal = copyJson(make(limit + 1))
      expect(refusal).toBeInstanceOf(Refusal)
      expect((refusal as Refusal).found).toContain(`more than ${limit} ${what}`)
    },
  )

  test('a hundred thousand levels are refused without a stack overflow', () => {
    expect(
      copyJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as object),
    ).toBeInstanceOf(Refusal)
  })
})
