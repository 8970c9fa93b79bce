import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HashIndex } from '../../src/storage/hash-index.ts'
import { runs } from '../runs.ts'

const value = fc.oneof(
  fc.nat(50),
  fc.integer({ min: 0, max: 5000 }),
  fc.constantFrom(-1, 0.5, 2 ** 40, 1e300, true, false, '', '1', 'a', '__proto__'),
)
const step = fc.tuple(
  fc.constantFrom('set', 'set', 'delete', 'reserve', 'clear'),
  value,
  fc.nat(9000),
)

test('a hash index behaves as a map, for dense and sparse values', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const texts = new Map<number, string>()
      const hash = new HashIndex((slot) => texts.get(slot) ?? null)
      const model = new Map<string | number | boolean, number>()
      for (const [at, [kind, each, number]] of steps.entries()) {
        // A record holds one text.
        const slot = typeof each === 'string' ? 10_000 + at : number
        if (kind === 'set') {
          if (typeof each === 'string') texts.set(slot, each)
          hash.set(each, slot)
          model.set(each, slot)
        } else if (kind === 'delete') {
          hash.delete(each)
          model.delete(each)
        } else if (kind === 'reserve' && typeof each === 'number') hash.reserve(each, slot)
        else if (kind === 'clear' && slot < 100) {
          hash.clear()
          model.clear()
        }
        expect(hash.size).toBe(model.size)
      }
      for (const [each] of steps.map(([, key]) => [key]))
        expect(hash.find(each)).toBe(model.get(each) ?? -1)
      expect(new Map(hash.entries())).toEqual(model)
      expect(hash.find('nobody')).toBe(-1)
    }),
    runs(300),
  )
})

test('a number and the same number as text are different values', () => {
  const hash = new HashIndex((slot) => (slot === 11 ? '1' : null))
  hash.set(1, 10)
  hash.set('1', 11)
  hash.set(true, 12)
  expect([hash.find(1), hash.find('1'), hash.find(true), hash.find(1.5)]).toEqual([10, 11, 12, -1])
})

test('`canHold` is false if the map would exceed its maximum size, and true for dense numbers and texts', () => {
  const hash = new HashIndex(() => null)
  expect(hash.canHold(16_777_216)).toBe(true)
  expect(hash.canHold(16_777_217)).toBe(false)
  hash.set(0.5, 1)
  expect(hash.canHold(16_777_215)).toBe(true)
  expect(hash.canHold(16_777_216)).toBe(false)
  hash.set(7, 2)
  expect(hash.canHold(16_777_216)).toBe(true)
  hash.delete(7)
  expect(hash.canHold(16_777_216)).toBe(false)
  const texts = new HashIndex(() => 'a')
  texts.set('a', 1)
  expect(texts.canHold(16_777_217)).toBe(true)
})
