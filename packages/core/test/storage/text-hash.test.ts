import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextHash } from '../../src/storage/hash-index.ts'
import { runs } from '../runs.ts'

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'ba', '__proto__', 'ß', '\u{1f600}'),
  fc.nat(99).map((n) => `n${n}`),
)
const step = fc.tuple(
  fc.constantFrom('set', 'set', 'set', 'delete', 'reserve', 'adopt', 'clear'),
  text,
)
/**
 * Hash functions: the real one, few buckets, one bucket, and the last bucket, from which a search
 * wraps around.
 */
const hashes = fc.constantFrom(
  undefined,
  (given: string) => given.length,
  (given: string) => (given.length % 2 === 0 ? -1 : 2 ** 31 - 1),
  () => 7,
  () => -1,
)

test('a text hash behaves as a map, for any collisions', () => {
  fc.assert(
    fc.property(hashes, fc.array(step, { maxLength: 200, size: 'max' }), (hashOf, steps) => {
      const texts: string[] = []
      const create = () => new TextHash((slot) => texts[slot] ?? null, hashOf)
      let hash = create()
      const model = new Map<string, number>()
      for (const [kind, each] of steps) {
        if (kind === 'set') {
          const slot = texts.push(each) - 1
          hash.set(each, slot)
          model.set(each, slot)
        } else if (kind === 'delete') {
          hash.delete(each)
          model.delete(each)
        } else if (kind === 'reserve') hash.reserve(each.length)
        else if (kind === 'adopt') {
          const next = create()
          next.adopt(hash)
          hash = next
        } else if (each === '') {
          hash.clear()
          model.clear()
        }
        expect(hash.size).toBe(model.size)
      }
      for (const [, each] of steps) expect(hash.find(each)).toBe(model.get(each) ?? -1)
      expect(new Map(hash.entries())).toEqual(model)
      expect(hash.find('nobody')).toBe(-1)
    }),
    runs(300),
  )
})

test('texts that all collide are stored apart, beyond the searched buckets', () => {
  const texts = Array.from({ length: 2000 }, (_, i) => `text ${i}`)
  const hash = new TextHash(
    (slot) => texts[slot],
    () => 7,
  )
  for (const [slot, each] of texts.entries()) hash.set(each, slot)
  for (const [slot, each] of texts.entries()) if (slot % 3 === 0) hash.delete(each)
  for (const [slot, each] of texts.entries())
    expect(hash.find(each)).toBe(slot % 3 === 0 ? -1 : slot)
  expect(hash.size).toBe(texts.filter((_, slot) => slot % 3 !== 0).length)
})
