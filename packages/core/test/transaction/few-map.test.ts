import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FewMap } from '../../src/transaction/few-map.ts'
import { runs } from '../arbitraries.ts'

test('a map of few entries is a map', () => {
  const step = fc.tuple(fc.constantFrom('set', 'set', 'delete'), fc.constantFrom(0, 1, 'a', ''), fc.nat(9))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const few = new FewMap<number | string, number>()
      const map = new Map<number | string, number>()
      for (const [kind, key, value] of steps) {
        if (kind === 'set') {
          few.set(key, value)
          map.set(key, value)
        } else {
          few.delete(key)
          map.delete(key)
        }
        for (const each of [0, 1, 'a', '', 'never']) expect(few.get(each)).toBe(map.get(each))
      }
    }),
    runs(300),
  )
})

test('of one entry, another key is none of its business', () => {
  const few = new FewMap<number, string>()
  few.set(1, 'one')
  few.delete(2)
  expect([few.get(1), few.get(2)]).toEqual(['one', undefined])
  few.set(1, 'two')
  expect(few.get(1)).toBe('two')
  few.delete(1)
  expect(few.get(1)).toBe(undefined)
  few.set(2, 'three')
  few.set(3, 'four')
  expect([few.get(1), few.get(2), few.get(3)]).toEqual([undefined, 'three', 'four'])
  few.delete(2)
  expect([few.get(2), few.get(3)]).toEqual([undefined, 'four'])
})
