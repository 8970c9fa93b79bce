import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PostingLists } from '../../src/storage/posting-lists.ts'
import { runs } from '../runs.ts'

const step = fc.tuple(
  fc.constantFrom('insert', 'insert', 'remove', 'build'),
  fc.nat(40),
  fc.nat(200),
)

test('posting lists are sorted lists of numbers', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const lists = new PostingLists()
      const model = new Map<number, number>()
      for (const [kind, list, slot] of steps) {
        const known = model.get(slot)
        if (kind === 'insert' && known === undefined) {
          lists.reserve(list)
          lists.insert(list, slot)
          model.set(slot, list)
        } else if (kind === 'remove') {
          lists.remove(known ?? list, slot)
          model.delete(slot)
        } else if (kind === 'build' && slot < 5)
          lists.build(
            Int32Array.from({ length: 201 }, (_, each) => model.get(each) ?? -1),
            41,
          )
      }
      for (let list = 0; list < 45; list++) {
        const expected = [...model].filter(([, held]) => held === list).map(([slot]) => slot)
        const start = lists.start(list)
        const found = Array.from(lists.data.subarray(start, start + lists.length(list)))
        expect(found).toEqual(expected.sort((a, b) => a - b))
        // One assertion for all: thousands of them take longer than what they check.
        const had = Array.from({ length: 67 }, (_, at) => 3 * at).filter((slot) =>
          lists.has(list, slot),
        )
        expect(had).toEqual(found.filter((slot) => slot % 3 === 0))
      }
    }),
    runs(150),
  )
})

test('lists that grow and shrink alternately keep their members when the vector is compacted', () => {
  const lists = new PostingLists()
  for (let round = 0; round < 20; round++) {
    for (let list = 0; list < 50; list++)
      for (let i = 0; i < 40; i++) lists.insert(list, round * 40 + i)
    for (let list = 0; list < 50; list++)
      if (list % 2 === 0) for (let i = 0; i < 40; i++) lists.remove(list, round * 40 + i)
  }
  for (let list = 0; list < 50; list++) {
    expect(lists.length(list)).toBe(list % 2 === 0 ? 0 : 800)
    const start = lists.start(list)
    const found = Array.from(lists.data.subarray(start, start + lists.length(list)))
    expect(found).toEqual(Array.from({ length: lists.length(list) }, (_, i) => i))
  }
})
