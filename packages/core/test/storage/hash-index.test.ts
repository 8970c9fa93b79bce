import { describe, expect, test } from 'vitest'
import { HashIndex, TextHash } from '../../src/storage/hash-index.ts'
import { runs } from '../runs.ts'
import { type Dice, dice, upTo } from './dice.ts'

/**
 * Hash functions: the real one, few buckets, one bucket, and the last buckets, from which a search
 * wraps around.
 */
const HASHES: readonly (((text: string) => number) | undefined)[] = [
  undefined,
  (text) => text.length,
  (text) => text.charCodeAt(text.length - 1) << 28,
  () => 7,
  () => -1,
  (text) => (text.length % 2 === 0 ? -1 : 2 ** 31 - 1),
]

test.each(HASHES.map((hashOf, i) => [i, hashOf] as const))(
  'a hash of texts behaves as a map (hash function %i)',
  (i, hashOf) => {
    for (let seed = 1; seed <= runs(3).numRuns; seed++) mustBeMap(dice(i + 10 * seed), hashOf)
  },
)

function mustBeMap(roll: Dice, hashOf: ((text: string) => number) | undefined): void {
  const texts: string[] = []
  let hash = new TextHash((slot) => texts[slot] ?? null, hashOf)
  let model = new Map<string, number>()
  for (let round = 0; round < 10; round++) {
    for (let step = 0; step < 80; step++) {
      const text = `n${roll(round < 6 ? 150 : 20)}`.repeat(1 + roll(2))
      if (roll(10) < (round % 3 === 2 ? 2 : 7)) {
        const slot = texts.push(text) - 1
        hash.set(text, slot)
        model.set(text, slot)
      } else {
        hash.delete(text)
        model.delete(text)
      }
    }
    if (round % 4 === 1) hash.reserve(roll(300))
    if (round % 4 === 2) {
      const next = new TextHash((slot) => texts[slot] ?? null, hashOf)
      next.adopt(hash)
      hash = next
    }
    expect(hash.size).toBe(model.size)
    expect(new Map(hash.entries())).toEqual(model)
    expect([...hash.entries()]).toHaveLength(model.size)
    const asked = upTo(150).flatMap((n) => [`n${n}`, `n${n}n${n}`, `m${n}`])
    expect(asked.filter((text) => hash.find(text) !== (model.get(text) ?? -1))).toEqual([])
    if (round === 5) {
      hash.clear()
      model = new Map()
      expect([hash.size, hash.find('n1'), [...hash.entries()]]).toEqual([0, -1, []])
    }
  }
}

describe('texts beyond the searched buckets', () => {
  const texts = upTo(700).map((i) => `text ${i}`)
  const filled = () => {
    const hash = new TextHash(
      (slot) => texts[slot % 1000] ?? null,
      () => 7,
    )
    for (const [slot, text] of texts.entries()) hash.set(text, slot)
    return hash
  }

  test('are found, reassigned and deleted', () => {
    const hash = filled()
    expect(hash.size).toBe(700)
    expect(texts.every((text, slot) => hash.find(text) === slot)).toBe(true)
    for (const [slot, text] of texts.entries()) if (slot % 4 === 0) hash.set(text, slot + 1000)
    for (const [slot, text] of texts.entries()) if (slot % 4 === 1) hash.delete(text)
    const expected = texts.map((_, slot) => [slot + 1000, -1, slot, slot][slot % 4])
    expect(texts.map((text) => hash.find(text))).toEqual(expected)
    expect(hash.size).toBe(525)
    expect(new Set([...hash.entries()].map(([, slot]) => slot))).toEqual(
      new Set(expected.filter((slot) => slot >= 0)),
    )
    hash.clear()
    expect([hash.size, hash.find('text 650'), [...hash.entries()]]).toEqual([0, -1, []])
  })

  test('are adopted with all others', () => {
    const next = new TextHash(
      (slot) => texts[slot] ?? null,
      () => 7,
    )
    next.adopt(filled())
    expect(texts.every((text, slot) => next.find(text) === slot)).toBe(true)
    expect(next.size).toBe(700)
  })
})

test('similar texts are spread over the buckets, so that a search compares about one text', () => {
  // Each request for the text of a record is a comparison; a good hash needs about one per search.
  let asked = 0
  const texts = [...upTo(3000).map((i) => `customer ${i}`), ...upTo(500).map((i) => 'a'.repeat(i))]
  const hash = new TextHash((slot) => {
    asked++
    return texts[slot]
  })
  for (const [slot, text] of texts.entries()) hash.set(text, slot)
  asked = 0
  for (const [slot, text] of texts.entries()) expect(hash.find(text)).toBe(slot)
  expect(asked).toBeLessThan(texts.length * 1.1)
  // A hash stores no texts of its own, so it must compare.
  expect(asked).toBeGreaterThanOrEqual(texts.length)
  for (let i = 0; i < 1000; i++) expect(hash.find(`absent ${i}`)).toBe(-1)
  expect(asked).toBeLessThan(texts.length * 1.2)
})

type Value = number | string | boolean
const VALUES: readonly Value[] = [
  -1,
  0.5,
  1e300,
  2 ** 40,
  true,
  false,
  '',
  '1',
  'a',
  '__proto__',
  -0.5,
]

test('a hash of values behaves as a map, for dense, sparse and other values', () => {
  for (let seed = 1; seed <= runs(9).numRuns; seed++) {
    const roll = dice(seed)
    const texts = new Map<number, string>()
    let hash = new HashIndex((slot) => texts.get(slot) ?? null)
    let model = new Map<Value, number>()
    const given = (): Value => {
      if (roll(4) === 0) return VALUES[roll(VALUES.length)]
      return roll([60, 1500, 9000, 100_000][(seed + roll(2)) % 4])
    }
    const seen = new Set<Value>(VALUES)
    for (let step = 0; step < 300; step++) {
      const value = given()
      seen.add(value)
      const act = roll(12)
      if (act < 7) {
        const slot = step * 3
        if (typeof value === 'string') texts.set(slot, value)
        hash.set(value, slot)
        model.set(value, slot)
      } else if (act < 10) {
        hash.delete(value)
        model.delete(value)
      } else if (act === 10 && typeof value === 'number') hash.reserve(value, roll(2000))
      else if (step % 9 === 0) {
        const next = new HashIndex((slot) => texts.get(slot) ?? null)
        next.adopt(hash)
        hash = next
      } else if (step % 31 === 0) {
        hash.clear()
        model = new Map()
      }
      expect(hash.size).toBe(model.size)
      if (step % 20 !== 19) continue
      expect([...seen].filter((each) => hash.find(each) !== (model.get(each) ?? -1))).toEqual([])
      expect(new Map(hash.entries())).toEqual(model)
      expect([...hash.entries()]).toHaveLength(model.size)
    }
  }
})

test('ascending whole numbers are found, from any start', () => {
  for (const from of [0, 1, 1023, 1024, 1025, 5000, 1_000_000]) {
    const hash = new HashIndex(() => null)
    for (let i = 0; i < 1500; i++) hash.set(from + i, i)
    expect(hash.size).toBe(1500)
    expect(upTo(1500).filter((i) => hash.find(from + i) !== i)).toEqual([])
    for (const other of [from - 1, from + 1500, from + 0.5, -5]) expect(hash.find(other)).toBe(-1)
    expect(new Set([...hash.entries()].map(([value]) => value)).size).toBe(1500)
  }
})

test('texts are found after room for all of them was reserved', () => {
  const texts = upTo(500).map((i) => `t${i}`)
  const hash = new HashIndex((slot) => texts[slot])
  hash.reserveTexts(500)
  for (const [slot, text] of texts.entries()) hash.set(text, slot)
  expect(texts.every((text, slot) => hash.find(text) === slot)).toBe(true)
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
