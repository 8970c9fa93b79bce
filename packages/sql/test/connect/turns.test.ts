import { expect, test } from 'vitest'
import { SharedTrips, Turns } from '../../src/connect/turns.ts'

/** Trips that a test ends, and timers that it runs out. */
function setUp(most: number) {
  const timers = new Set<() => void>()
  const after = (_: number, done: () => void): (() => void) => {
    timers.add(done)
    return () => timers.delete(done)
  }
  const turns = new Turns(after, most)
  const waiting: string[] = []
  const begun: string[] = []
  const ends: (() => void)[] = []
  const begin = (): Promise<void> | null => {
    if (waiting.length === 0) return null
    begun.push(waiting.splice(0).join('+'))
    return new Promise((resolve) => ends.push(resolve))
  }
  const come = (name: string): void => {
    waiting.push(name)
    turns.go(begin)
  }
  const end = async (at: number): Promise<void> => {
    ends[at]!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, come, end, timers }
}

test('what comes while the most trips are under way goes together', async () => {
  const { begun, come, end, timers } = setUp(2)
  for (const name of ['a', 'b', 'c', 'd']) come(name)
  expect(begun).toEqual(['a', 'b'])
  await end(1)
  expect(begun).toEqual(['a', 'b', 'c+d'])
  come('e')
  await end(0)
  await end(2)
  expect(begun).toEqual(['a', 'b', 'c+d', 'e'])
  await end(3)
  expect(timers.size).toBe(0)
  come('f')
  expect(begun.at(-1)).toBe('f')
})

test('a trip that takes long does not count, and its end lets nothing more begin', async () => {
  const { begun, come, end, timers } = setUp(1)
  come('a')
  come('b')
  expect(begun).toEqual(['a'])
  for (const done of [...timers]) done()
  expect(begun).toEqual(['a', 'b'])
  come('c')
  await end(0)
  expect(begun).toEqual(['a', 'b'])
  await end(1)
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('callers that should not begin beside a trip wait for its end', async () => {
  const ends: (() => void)[] = []
  const begun: string[] = []
  const trips = new SharedTrips<string, string>({
    after: () => () => {},
    most: 2,
    take: (waiting, underWay) =>
      underWay > 0 && waiting[0]!.item !== 'full' ? null : [waiting.slice(0, 1), waiting.slice(1)],
    async send(group) {
      begun.push(group.map(({ item }) => item).join())
      await new Promise<void>((resolve) => ends.push(resolve))
      for (const { item, resolve } of group) resolve(item)
    },
  })
  const items = ['a', 'full', 'b', 'full']
  const answers = items.map((item) => trips.join(item))
  expect(begun).toEqual(['a', 'full'])
  ends[0]!()
  expect(await answers[0]).toBe('a')
  expect(begun).toEqual(['a', 'full'])
  ends[1]!()
  expect(await answers[1]).toBe('full')
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(items)
  for (const end of ends) end()
  expect(await Promise.all(answers)).toEqual(items)
})
