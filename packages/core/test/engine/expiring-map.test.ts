import { expect, test } from 'vitest'
import { ExpiringMap } from '../../src/server-state/server-state-limits.ts'
import { StoreState } from '../../src/write/write-plan.ts'

function mapOf(max = 3) {
  const clock = { time: 1000, now: () => 0, monotonic: () => clock.time }
  const gone: string[] = []
  const map = new ExpiringMap<{ readonly name: string }>(clock, {
    max,
    gone: ({ name }) => gone.push(name),
  })
  return { clock, gone, map }
}

test('the remaining lifetime is in milliseconds, and 0 for missing and expired entries', () => {
  const { clock, map } = mapOf()
  expect(map.leftOf('a')).toBe(0)
  map.set('a', { name: 'a' }, 2)
  expect(map.leftOf('a')).toBe(2000)
  expect(map.leftOf('b')).toBe(0)
  clock.time += 1500
  expect(map.leftOf('a')).toBe(500)
  clock.time += 500
  expect(map.leftOf('a')).toBe(0)
})

test('values are the live ones, the least recently used first; reading them reports the expired ones', () => {
  const { clock, gone, map } = mapOf()
  expect([...map.values()]).toEqual([])
  map.set('a', { name: 'a' }, 2)
  map.set('b', { name: 'b' }, 1)
  map.set('c', { name: 'c' }, 2)
  map.get('a')
  expect([...map.values()].map(({ name }) => name)).toEqual(['b', 'c', 'a'])
  clock.time += 1000
  expect([...map.values()].map(({ name }) => name)).toEqual(['c', 'a'])
  expect(gone).toEqual(['b'])
  expect(map.delete('b')).toBe(false)
  expect(map.delete('c')).toBe(true)
  expect(map.size).toBe(1)
})

test('a broken store names the error that broke it, and a closed one says that it is closed', () => {
  const state = new StoreState('hr')
  state.guard()
  expect(state.broke('no error')).toBe('no error')
  expect(() => state.guard()).toThrow('no error')
  state.close()
  expect(() => state.guard()).toThrow('closed')
})
