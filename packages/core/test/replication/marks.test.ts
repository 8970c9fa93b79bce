import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BUCKET_PARTS,
  BucketMarks,
  bucketCount,
  HINT_LENGTH,
  marksLength,
} from '../../src/internal.ts'
import { runs } from '../runs.ts'

const value = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1, '', '0', 'null'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
  fc.constantFrom({ a: 1 }, { a: '1' }, [1], {}),
)
const entity = fc.tuple(fc.nat(50), fc.nat(2), fc.nat(2), fc.array(value, { maxLength: 3 }))
type Entity = readonly [number, number, number, readonly unknown[]]
const entities = fc.uniqueArray(entity, { selector: ([key]) => key, maxLength: 30 })

function marked(count: number, seed: number, all: readonly Entity[]): BucketMarks {
  const marks = new BucketMarks(count, seed)
  for (const [key, stamp, timestamp, values] of all)
    marks.add(key, stamp, timestamp, values as never)
  return marks
}

const partsOf = (bucket: number): number[] =>
  Array.from({ length: BUCKET_PARTS }, (_, at) => bucket * BUCKET_PARTS + at)

test('two sides differ in a part, or a bucket that is not divided, if and only if their entities do', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      entities,
      entities,
      (seed, count, isDivided, a, b) => {
        const marks = marked(count, seed, a)
        const theirs = marked(count, seed, [...b].reverse())
        const buckets = [...Array(count).keys()]
        const divided = buckets.filter((bucket) => isDivided[bucket])
        const within = (all: readonly Entity[], parts: readonly number[]): string =>
          JSON.stringify(
            all
              .filter(([key]) => parts.includes(marks.partOf(key)))
              .map((each) => JSON.stringify(each))
              .sort(),
          )
        const isSame = (parts: readonly number[]): boolean => within(a, parts) === within(b, parts)
        const differing = buckets.flatMap((bucket) => {
          const parts = partsOf(bucket)
          if (divided.includes(bucket)) return parts.filter((part) => !isSame([part]))
          return isSame(parts) ? [] : parts
        })
        const text = theirs.text(divided)
        expect(marks.differing(divided, text)).toEqual(differing)
        expect(text).toHaveLength(marksLength(count, divided.length))
        const own = marked(count, seed, [...a].reverse())
        expect(marks.differing(divided, own.text(divided))).toEqual([])
      },
    ),
    runs(300),
  )
})

test('hints name the buckets that differ, and no bucket that is the same', () => {
  let missed = 0
  let found = 0
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 8 }),
      entities,
      entities,
      (seed, count, a, b) => {
        const marks = marked(count, seed, a)
        const theirs = marked(count, seed, b)
        const hints = theirs.hints()
        expect(hints).toHaveLength(count * HINT_LENGTH)
        const differing = new Set(
          marks.differing([], theirs.text([])).map((part) => Math.floor(part / BUCKET_PARTS)),
        )
        const unlike = marks.unlike(hints)
        for (const bucket of unlike) expect(differing.has(bucket)).toBe(true)
        found += unlike.length
        missed += differing.size - unlike.length
      },
    ),
    runs(300),
  )
  // One of 4096 is missed.
  expect(missed).toBeLessThan(5 + found / 100)
  expect(found).toBeGreaterThan(0)
})

test('values that look alike have different marks, and the values of other seeds say nothing', () => {
  const alike = [
    [1, '1'],
    ['1', 1],
    [null, 'null'],
    [true, 1],
    ['', null],
    [{ a: 1 }, '{"a":1}'],
  ]
  for (const [a, b] of alike)
    expect(marked(1, 7, [[1, 1, 1, [a]]]).text([])).not.toBe(
      marked(1, 7, [[1, 1, 1, [b]]]).text([]),
    )
  const texts = new Set(
    [...Array(100).keys()].map((seed) => marked(1, seed, [[1, 1, 1, []]]).text([])),
  )
  expect(texts.size).toBe(100)
})

test('a bucket has about 48 entities, and a part one or two', () => {
  const marks = new BucketMarks(bucketCount(12_000), 1)
  const parts = new Map<number, number>()
  const buckets = new Map<number, number>()
  const count = (all: Map<number, number>, at: number) => all.set(at, (all.get(at) ?? 0) + 1)
  for (let key = 0; key < 12_000; key++) {
    const part = marks.partOf(key)
    count(parts, part)
    count(buckets, Math.floor(part / BUCKET_PARTS))
  }
  expect(buckets.size).toBe(250)
  expect(Math.max(...buckets.values())).toBeLessThan(100)
  expect(parts.size).toBeGreaterThan(250 * BUCKET_PARTS * 0.7)
  expect(Math.max(...parts.values())).toBeLessThan(15)
})
