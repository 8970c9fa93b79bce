import { describe, expect, test } from 'vitest'
import { WordOrder } from '../../src/storage/word-order.ts'
import { type Dice, dice, upTo } from './dice.ts'
import { labelAfter } from './word-codes.ts'

/** Keys by code, and the order under test. */
class Ordered {
  readonly keys: string[] = []
  readonly codes = new Set<number>()
  order: WordOrder

  constructor(keys: readonly string[]) {
    for (const key of keys) this.codes.add(this.keys.push(key) - 1)
    this.order = new WordOrder(this.keys, [...this.codes], this.keys.length)
  }
  insert(key: string): void {
    const code = this.keys.push(key) - 1
    this.order.insert(code)
    this.codes.add(code)
  }
  remove(code: number): void {
    this.order.remove(code)
    this.codes.delete(code)
  }

  /** The codes in order, whose labels must match their keys: one label per key, ascending. */
  mustHold(): number[] {
    const { order, keys, codes } = this
    const found: number[] = []
    expect(order.some(false, (code) => found.push(code) < 0)).toBe(false)
    const falling: number[] = []
    order.some(true, (code) => falling.push(code) < 0)
    expect(falling).toEqual([...found].reverse())
    expect(order.count).toBe(codes.size)
    expect(new Set(found)).toEqual(codes)
    const isSound = (code: number, i: number) => {
      if (i === 0) return true
      const before = found[i - 1]
      if (keys[before] === keys[code]) return order.labels[before] === order.labels[code]
      return keys[before] < keys[code] && order.labels[before] < order.labels[code]
    }
    expect(found.filter((code, i) => !isSound(code, i))).toEqual([])
    return found
  }
  /** Ranges between keys, each end included or not. */
  mustRange(found: readonly number[], from: string, to: string): void {
    const { order, keys } = this
    for (const [low, isIn] of [
      [order.labelAtOrAfter(from), (key: string) => key >= from],
      [labelAfter(order, from), (key: string) => key > from],
    ] as const)
      for (const [high, isBelow] of [
        [order.labelAtOrAfter(to), (key: string) => key < to],
        [labelAfter(order, to), (key: string) => key <= to],
      ] as const) {
        const expected = found.filter((code) => isIn(keys[code]) && isBelow(keys[code]))
        expect(order.codesBetween(low, high).join()).toBe(expected.join())
      }
  }
}

/**
 * Where new words arrive: everywhere, at the end, at the start, always between the same two, or as
 * many spellings of few keys.
 */
const PLACES: readonly ((i: number, roll: Dice) => string)[] = [
  (_, roll) => `k${roll(100_000)}`,
  (i) => `z${String(i).padStart(6, '0')}`,
  (i) => `a${String(999_999 - i).padStart(6, '0')}`,
  (i) => `m${String(999_999 - i).padStart(6, '0')}`,
  (_, roll) => `k${roll(12)}`,
]

test('words stay in order after insertions and removals at any places', () => {
  for (const [seed, place] of PLACES.entries())
    for (const start of [0, 1, 384, 900]) {
      const roll = dice(seed * 10 + start + 1)
      const ordered = new Ordered(upTo(start).map((i) => `k${(i * 7919) % 3001}`))
      ordered.mustHold()
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 300; i++) ordered.insert(place(round * 300 + i, roll))
        let found = ordered.mustHold()
        // Single words, or all words of some blocks.
        const gone = round === 1 ? found.slice(40, 620) : found.filter(() => roll(3) === 0)
        for (const code of gone) ordered.remove(code)
        found = ordered.mustHold()
        for (let i = 0; i < 6; i++)
          ordered.mustRange(found, place(i * 50, roll), place(round * 300 + 299 - i * 40, roll))
        ordered.mustRange(found, '', 'zzz')
        if (found.length > 0)
          ordered.mustRange(found, ordered.keys[found[0]], ordered.keys[found[found.length - 1]])
      }
      for (const code of [...ordered.codes]) ordered.remove(code)
      expect(ordered.mustHold()).toEqual([])
      ordered.mustRange([], 'a', 'z')
      expect([ordered.order.labelAtOrAfter('a'), labelAfter(ordered.order, 'a')]).toEqual(
        new Array(2).fill(Number.POSITIVE_INFINITY),
      )
      ordered.insert('again')
      ordered.insert('Again')
      expect(ordered.mustHold()).toHaveLength(2)
    }
})

test('many words fit between the same two, since labels are spread before they run out', () => {
  // The last ones leave no gap between two labels.
  for (const [step, before, count] of [
    [1, 1, 1500],
    [2, 1, 1500],
    [3, 700, 14_000],
  ]) {
    const words = upTo(before).map((i) => `a${String(i).padStart(4, '0')}`)
    const ordered = new Ordered([...words, 'z'])
    for (let i = 0; i < count; i++) {
      // Sometimes a second spelling, before or after other words arrive between.
      const number = String(9_999_999 - i).padStart(7, '0')
      ordered.insert(`m${number}`)
      if (i % 5 === step) ordered.insert(`m${number}`)
      if (i % 7 === step) ordered.insert(`m${String(9_999_999 - (i >> 1)).padStart(7, '0')}`)
    }
    const found = ordered.mustHold()
    ordered.mustRange(found, 'm9999000', 'm9999999')
  }
})

describe('a word that is added', () => {
  const words = (): Ordered => new Ordered(upTo(1100).map((i) => `k${String(i).padStart(4, '0')}`))

  test('changes no other label if there is a gap', () => {
    const ordered = words()
    const before = ordered.order.labels.slice(0, 1100)
    for (const key of [
      'k0000a',
      'k0100a',
      'k0383a',
      'k0384a',
      'k0767a',
      'k0900a',
      'k1099a',
      'k2',
      'a',
      '',
      'k0100',
    ])
      ordered.insert(key)
    expect(ordered.order.labels.slice(0, 1100)).toEqual(before)
    ordered.mustHold()
  })

  test.each([
    ['in the middle of the first block', 'k0100', 384, 1100],
    ['at the end of the first block', 'k0383', 768, 1100],
    ['at the beginning of the last block', 'k0768', 0, 384],
    ['behind all others', 'k1099', 0, 768],
    ['before all others', '', 384, 1100],
  ])('%s where no gap is left changes labels of its own block only', (_, after, from, to) => {
    const ordered = words()
    const before = ordered.order.labels.slice(from, to)
    // Each sorts between the word and the previous addition.
    for (let i = 0; i < 100; i++) ordered.insert(`${after}-${String(999 - i)}`)
    expect(ordered.order.labels.slice(from, to)).toEqual(before)
    const found = ordered.mustHold()
    ordered.mustRange(found, after, `${after}-950`)
  })
})

test('all spellings of a word have one label, across block boundaries', () => {
  const ordered = new Ordered(['a', ...upTo(600).map(() => 'k'), 'z'])
  for (let i = 0; i < 700; i++) ordered.insert('k')
  ordered.insert('j')
  ordered.insert('l')
  let found = ordered.mustHold()
  for (const [from, to] of [
    ['a', 'k'],
    ['k', 'k'],
    ['k', 'z'],
    ['j', 'l'],
    ['b', 'y'],
  ])
    ordered.mustRange(found, from, to)
  for (const code of found.filter((_, i) => i % 2 === 0)) ordered.remove(code)
  found = ordered.mustHold()
  ordered.mustRange(found, 'k', 'k')
})

test('a word with spellings on both sides of a block border keeps one label when its neighbours are relabelled', () => {
  // Blocks start with 384 words, so the sixth spelling is the first of the second block, or the
  // last of the first one.
  for (const before of [378, 382, 383]) {
    const start = upTo(before).map((i) => `a${String(i).padStart(4, '0')}`)
    const after = upTo(300).map((i) => `z${String(i).padStart(4, '0')}`)
    for (const place of ['a0100', 'a0370', 'k', 'z0020']) {
      const ordered = new Ordered([...start, ...upTo(10).map(() => 'k'), ...after])
      for (let i = 0; i < 90; i++) ordered.insert(`${place}-${String(999 - i)}`)
      ordered.mustRange(ordered.mustHold(), 'k', 'k')
    }
  }
})

test('a visit ends when the callback returns true, in both directions', () => {
  const ordered = new Ordered(upTo(1000).map((i) => `k${String(i).padStart(4, '0')}`))
  for (const descending of [false, true]) {
    const seen: number[] = []
    expect(ordered.order.some(descending, (code) => seen.push(code) === 700)).toBe(true)
    const all = upTo(1000)
    if (descending) all.reverse()
    expect(seen).toEqual(all.slice(0, 700))
  }
})

test('an order takes its codes in any order and number, and has room for more', () => {
  const keys = ['', 'c', 'a', 'b', 'a']
  const order = new WordOrder(keys, [3, 1, 4], 2)
  expect(order.codesBetween(order.labelAtOrAfter(''), Number.POSITIVE_INFINITY)).toEqual([4, 3, 1])
  order.insert(2)
  expect(order.codesBetween(order.labelAtOrAfter('a'), labelAfter(order, 'a')).sort()).toEqual([
    2, 4,
  ])
  for (let i = 0; i < 100; i++) order.insert(keys.push(`n${i}`) - 1)
  order.reserve(5)
  order.reserve(5000)
  expect(order.labels.length).toBeGreaterThanOrEqual(5000)
  expect(order.count).toBe(104)
  expect(
    order
      .codesBetween(order.labelAtOrAfter('a'), order.labelAtOrAfter('n'))
      .map((code) => keys[code]),
  ).toEqual(['a', 'a', 'b', 'c'])
  // Removing a code that it does not contain changes nothing.
  order.remove(0)
  expect(order.count).toBe(104)
})
