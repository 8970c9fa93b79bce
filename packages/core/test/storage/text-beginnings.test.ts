import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prefixRange } from '../../src/plan/key-range.ts'
import type { TextColumn } from '../../src/storage/column.ts'
import { type Pass, TextBeginnings, type TextInterval } from '../../src/storage/text-beginnings.ts'
import { runs } from '../runs.ts'

const atOnce: Pass = (_, count, start, body) => {
  const state = start()
  body(state, 0, count)
  return state
}

// Common prefixes, short and long; distant code units; texts that contain the ends of others.
const beginning = fc.constantFrom(
  '',
  'a',
  'ab',
  'user',
  'user000',
  'https://example.com/a/very/long/path/',
  'ü',
  '\uffff',
)
const ending = fc.string({
  unit: fc.constantFrom('a', 'b', '0', '9', 'z', 'ü', '中', '\u0000'),
  maxLength: 5,
})
const text = fc.tuple(beginning, ending).map(([a, b]) => a + b)
const keys = fc.array(fc.option(text, { freq: 8 }), { maxLength: 300 })
const bounds = fc.uniqueArray(
  fc.oneof(
    text.filter((one) => one !== '').map((one) => prefixRange(one)),
    text.map((one) => ({ low: one, high: `${one}\u0000` })),
    fc.tuple(text, text).map(([a, b]) => ({ low: a < b ? a : b, high: `${a < b ? b : a}b` })),
  ),
  { maxLength: 4 },
)

/** Ascending and disjoint. */
function intervalsOf(
  given: readonly { readonly low: string; readonly high: string | null }[],
): TextInterval[] {
  const out: TextInterval[] = []
  for (const { low, high } of [...given].sort((a, b) => (a.low < b.low ? -1 : 1)))
    if (high !== null && low < high && (out.length === 0 || out[out.length - 1].high <= low))
      out.push({ low, high })
  return out
}

const expected = (keys: readonly (string | null)[], intervals: readonly TextInterval[]): number[] =>
  [...keys.keys()].filter((slot) => {
    const key = keys[slot]
    return key !== null && intervals.some(({ low, high }) => key >= low && key < high)
  })

function found(
  beginnings: TextBeginnings,
  count: number,
  intervals: readonly TextInterval[],
  pass = atOnce,
): number[] {
  const out: number[] = []
  beginnings.collect(intervals, count, pass, out)
  return out.sort((a, b) => a - b)
}

describe('a search by prefix', () => {
  test('finds the same texts as comparing each one, after any searches and changes', () => {
    const change = fc.tuple(fc.nat(299), fc.option(text))
    const step = fc.record({ changes: fc.array(change, { maxLength: 12 }), asked: bounds })
    const mostCompared = fc.constantFrom(0, 3, 64)
    fc.assert(
      fc.property(keys, fc.array(step, { maxLength: 9 }), mostCompared, (given, steps, most) => {
        const column = { keys: [...given] }
        const beginnings = new TextBeginnings(column as unknown as TextColumn, () => most)
        for (const { changes, asked } of steps) {
          for (const [slot, key] of changes) {
            // The next record, after the last one.
            const at = Math.min(slot, column.keys.length)
            beginnings.note(at)
            column.keys[at] = key
          }
          const intervals = intervalsOf(asked)
          expect(found(beginnings, column.keys.length, intervals)).toEqual(
            expected(column.keys, intervals),
          )
        }
      }),
      runs(600),
    )
  })

  test('finds texts among a thousand with a long common prefix', () => {
    const keys = Array.from(
      { length: 1000 },
      (_, i) => `https://example.com/users/${(i * 7919) % 1000}`,
    )
    const beginnings = new TextBeginnings({ keys } as unknown as TextColumn)
    for (const asked of [
      'https://example.com/users/12',
      'https://example.com/users/1',
      'https',
      'x',
    ]) {
      const intervals = [prefixRange(asked) as TextInterval]
      expect(found(beginnings, 1000, intervals)).toEqual(expected(keys, intervals))
    }
  })

  test('reads only a few texts when it is repeated', () => {
    const keys = Array.from(
      { length: 5000 },
      (_, i) => `user${String((i * 7919) % 5000).padStart(8, '0')}@example.com`,
    )
    const beginnings = new TextBeginnings({ keys } as unknown as TextColumn)
    const passed: number[] = []
    const counting: Pass = (name, count, start, body) => {
      passed.push(count)
      return atOnce(name, count, start, body)
    }
    const ask = (i: number): number[] =>
      found(
        beginnings,
        5000,
        [prefixRange(`user${String(i).padStart(8, '0')}`) as TextInterval],
        counting,
      )
    expect(ask(1234)).toHaveLength(1)
    expect(passed[0]).toBe(5000)
    passed.length = 0
    expect(ask(1235)).toHaveLength(1)
    expect(ask(4999)).toHaveLength(1)
    expect(Math.max(0, ...passed)).toBeLessThan(1000)
  })

  test('goes on with its buckets after many changes, and reads few texts for it', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `user${String(i).padStart(8, '0')}`)
    let reads = 0
    const counted = new Proxy(keys, {
      get(target, name, receiver) {
        reads++
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    const beginnings = new TextBeginnings({ keys: counted } as unknown as TextColumn)
    const intervals = [{ low: 'user0000123', high: 'user0000124' }]
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 100; i++) {
        const slot = (round * 100 + i * 7) % 5000
        beginnings.note(slot)
        keys[slot] = `user${String((slot * 7919 + round) % 10_000).padStart(8, '0')}`
      }
      reads = 0
      expect(found(beginnings, 5000, intervals)).toEqual(expected(keys, intervals))
      if (round > 0) expect(reads).toBeLessThan(1500)
    }
  })

  test('discards its list after many changes, so that further changes cost nothing', () => {
    const column = { keys: Array.from({ length: 1000 }, (_, i) => `user${i}`) }
    const beginnings = new TextBeginnings(column as unknown as TextColumn)
    const intervals = [{ low: 'user1', high: 'user2' }]
    void found(beginnings, 1000, intervals)
    for (let slot = 0; slot < 200; slot++) {
      beginnings.note(slot)
      column.keys[slot] = `other${slot}`
    }
    let builds = 0
    const counting: Pass = (name, count, start, body) => {
      if (name === 'texts') builds++
      return atOnce(name, count, start, body)
    }
    expect(found(beginnings, 1000, intervals, counting)).toEqual(expected(column.keys, intervals))
    expect(found(beginnings, 1000, intervals, counting)).toEqual(expected(column.keys, intervals))
    expect(builds).toBe(1)
  })
})
