import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanCodes } from '../../src/execute/column-loops.ts'
import { runs } from '../runs.ts'

test('codes are found at every position, beside any other codes', () => {
  // Codes whose halves borrow from each other in a subtraction.
  const code = fc.constantFrom(0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff)
  const codes = fc.array(code, { maxLength: 40 })
  fc.assert(
    fc.property(codes, code, fc.nat(40), fc.nat(40), fc.boolean(), (all, wanted, a, b, isWide) => {
      const from = Math.min(a, b, all.length)
      const to = Math.min(Math.max(a, b), all.length)
      const out = new Int32Array(40)
      const count = scanCodes(
        isWide ? Uint32Array.from(all) : Uint16Array.from(all),
        wanted,
        from,
        to,
        out,
      )
      const expected = all
        .map((_, slot) => slot)
        .filter((slot) => slot >= from && slot < to && all[slot] === wanted)
      expect([...out.subarray(0, count)]).toEqual(expected)
    }),
    runs(500),
  )
})
