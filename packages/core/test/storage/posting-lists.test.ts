import { expect, test } from 'vitest'
import { PostingLists } from '../../src/storage/posting-lists.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { runs } from '../runs.ts'
import { dice, upTo } from './dice.ts'

type Model = Map<number, Set<number>>
const membersIn = (model: Model, list: number): number[] =>
  [...(model.get(list) ?? [])].sort((a, b) => a - b)

/** Checks every way to read a list, for every list and some unknown ones. */
function mustHold(lists: PostingLists, model: Model, most: number): void {
  for (let list = 0; list < most; list++) {
    const expected = membersIn(model, list)
    expect(lists.length(list)).toBe(expected.length)
    const start = lists.start(list)
    expect([...lists.data.subarray(start, start + expected.length)]).toEqual(expected)
    if (list >= lists.listLimit) {
      expect(expected).toEqual([])
      continue
    }
    const out = new Int32Array(expected.length + 3).fill(-1)
    expect(lists.copyInto(list, out, 2)).toBe(2 + expected.length)
    expect([...out]).toEqual([-1, -1, ...expected, -1])
    const last = expected.at(-1) ?? 0
    for (const bound of [0, 1, expected[expected.length >> 1] ?? 5, last, last + 1]) {
      const below = expected.filter((slot) => slot < bound)
      out.fill(-1)
      expect(lists.copyBelow(bound, list, out, 1)).toBe(1 + below.length)
      expect([...out.subarray(0, below.length + 1)]).toEqual([-1, ...below])
    }
  }
}

test('lists with random insertions and removals equal sets, for every way to read them', () => {
  for (let seed = 1; seed <= runs(6).numRuns; seed++) {
    const roll = dice(seed)
    const lists = new PostingLists()
    const model: Model = new Map()
    const most = [5, 20, 40][seed % 3]
    for (let i = 0; i < 300; i++) {
      const [list, slot] = [roll(most), roll(90)]
      const members = model.get(list) ?? new Set()
      model.set(list, members)
      expect(list < lists.listLimit && lists.has(list, slot)).toBe(members.has(slot))
      if (members.has(slot) || roll(5) === 0) {
        if (list < lists.listLimit) lists.remove(list, slot)
        members.delete(slot)
      } else {
        if (roll(3) === 0) lists.reserve(list, roll(4))
        lists.insert(list, slot)
        members.add(slot)
      }
      if (i % 60 === 59) mustHold(lists, model, most + 2)
    }
  }
})

test('an unknown list is empty', () => {
  const lists = new PostingLists()
  for (const list of [0, 15, 16, 1000])
    expect([lists.length(list), lists.start(list), lists.has(list, 0)]).toEqual([0, 0, false])
  lists.insert(3, 7)
  expect([
    lists.has(2, 7),
    lists.has(3, 7),
    lists.has(3, 6),
    lists.has(3, 8),
    lists.has(1000, 7),
  ]).toEqual([false, true, false, false, false])
  lists.remove(3, 6)
  lists.remove(3, 8)
  lists.remove(2, 7)
  mustHold(lists, new Map([[3, new Set([7])]]), 20)
})

test('inserting into a list beyond the last one creates it and those between', () => {
  const lists = new PostingLists()
  lists.insert(2, 1)
  lists.insert(70, 5)
  lists.insert(16, 9)
  expect(lists.listLimit).toBeGreaterThan(70)
  mustHold(
    lists,
    new Map([
      [2, new Set([1])],
      [70, new Set([5])],
      [16, new Set([9])],
    ]),
    80,
  )
})

test('lists that were built at once accept further members', () => {
  for (const lists of [1, 2, 7]) {
    const built = new PostingLists()
    for (let i = 0; i < 30; i++) built.insert(i % 20, i)
    const listOf = Int32Array.from({ length: 100 }, (_, slot) =>
      slot % 5 === 4 ? -1 : (slot * 3) % lists,
    )
    runSteps(built.buildSteps(listOf, lists))
    expect(built.listLimit).toBe(lists)
    const model: Model = new Map(
      upTo(lists).map((list) => [list, new Set(upTo(100).filter((slot) => listOf[slot] === list))]),
    )
    mustHold(built, model, lists + 3)
    for (let i = 0; i < 200; i++) {
      const [list, slot] = [i % (lists + 2), 100 + i]
      built.insert(list, slot)
      model.set(list, (model.get(list) ?? new Set()).add(slot))
    }
    mustHold(built, model, lists + 5)
    runSteps(built.buildSteps(new Int32Array(0), 1))
    mustHold(built, new Map(), 12)
  }
})

test('lists that are filled and emptied repeatedly use bounded memory', () => {
  const lists = new PostingLists()
  const model: Model = new Map()
  for (let round = 0; round < 60; round++) {
    const list = round % 12
    const members = new Set(upTo(30 + (round % 5) * 25).map((i) => i * 2 + (round % 2)))
    for (const slot of model.get(list) ?? []) lists.remove(list, slot)
    for (const slot of members) lists.insert(list, slot)
    model.set(list, members)
    if (round % 10 === 9) mustHold(lists, model, 14)
  }
  // At most 130 members each, with spare room for half as many, and as much again unused.
  expect(lists.data.length).toBeLessThan(12 * 130 * 6)
})
