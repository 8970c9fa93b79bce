import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BatchItem, OwnStamps } from '../../src/internal.ts'
import { runs } from '../runs.ts'

const update = (key: number, stamp: number): BatchItem => ({
  ...{ kind: 'update', dataClass: 'A', key, stamp },
  ...{ values: {}, before: {} },
})

/** A batch of the replica, made for the state that it knows, or a change of others. */
const step = fc.record({
  isOwn: fc.boolean(),
  key: fc.nat(1),
  /** Whether the batch has the stamp after earlier batches, not that of the first state. */
  isAdjusted: fc.boolean(),
  saves: fc.integer({ min: 1, max: 3 }),
})

test('a batch gets the stamp of the entity if and only if only the replica has saved it since', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const own = new OwnStamps()
      const stamps = [5, 5]
      /** Whether others have saved the entity. */
      const isForeign = [false, false]
      for (const { isOwn, key, isAdjusted, saves } of steps) {
        const given = isAdjusted ? own.after([update(key, 5)]) : [update(key, 5)]
        stamps[key]! += saves
        if (!isOwn) isForeign[key] = true
        // What others have changed in between, the server does not report.
        else own.add(given, [isForeign[key] ? null : stamps[key]!])
        for (const each of [0, 1]) {
          const [after] = own.after([update(each, 5)]) as unknown as [{ stamp: number }]
          if (!isForeign[each]) expect(after.stamp).toBe(stamps[each])
          else expect(after.stamp).toBeLessThan(stamps[each]!)
        }
      }
    }),
    runs(500),
  )
})

test('a list without such entities stays the same list', () => {
  const own = new OwnStamps()
  expect(own.isEmpty).toBe(true)
  own.add([{ kind: 'insert', dataClass: 'A', key: 1, values: {} }, update(2, 3)], [1, null])
  expect(own.isEmpty).toBe(false)
  const others = [update(2, 3), update(1, 4), { ...update(1, 0), dataClass: 'B' }]
  expect(own.after(others)).toBe(others)
  expect(own.after([update(1, 0)])).toEqual([update(1, 1)])
})
