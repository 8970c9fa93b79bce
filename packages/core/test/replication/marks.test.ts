import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BucketMarks, bucketCount, MARK_LENGTH } from '../../src/internal.ts'
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

test('two sides have the same mark of a bucket if and only if they have the same entities in it', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 8 }),
      entities,
      entities,
      (seed, count, a, b) => {
        const marks = marked(count, seed, a)
        const theirs = marked(count, seed, [...b].reverse())
        const inBucket = (all: readonly Entity[], bucket: number): string[] =>
          all
            .filter(([key]) => marks.bucketOf(key) === bucket)
            .map((each) => JSON.stringify(each))
            .sort()
        const differing = [...Array(count).keys()].filter(
          (at) => JSON.stringify(inBucket(a, at)) !== JSON.stringify(inBucket(b, at)),
        )
        expect(marks.differing(theirs.text())).toEqual(differing)
        expect(marks.text()).toHaveLength(count * MARK_LENGTH)
        expect(marks.differing(marked(count, seed, [...a].reverse()).text())).toEqual([])
      },
    ),
    runs(300),
  )
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
    expect(marked(1, 7, [[1, 1, 1, [a]]]).text()).not.toBe(marked(1, 7, [[1, 1, 1, [b]]]).text())
  const texts = new Set(
    [...Array(100).keys()].map((seed) => marked(1, seed, [[1, 1, 1, []]]).text()),
  )
  expect(texts.size).toBe(100)
})

test('a bucket has about twelve entities', () => {
  const marks = new BucketMarks(bucketCount(12_000), 1)
  const counts = new Map<number, number>()
  for (let key = 0; key < 12_000; key++) {
    const bucket = marks.bucketOf(key)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  expect(counts.size).toBeGreaterThan(990)
  expect(Math.max(...counts.values())).toBeLessThan(40)
})
