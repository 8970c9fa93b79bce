import { expect, test } from 'vitest'
import { ExpiringMap } from '../../src/server-state/expiring-map.ts'
import { StoreState } from '../../src/write/store-state.ts'

function mapOf(max = 3) {
  const clock = { time: 1000, now: () => 0, monotonic: () => clock.time }
  const gone: string[] = []
  const map = new ExpiringMap<{ readonly name: string }>(clock, { max, gone: ({ name }) => gone.push(name) })
  return { clock, gone, map }
}

test('what is left of a life is told in milliseconds, and is nothing for what was never there or has ended', () => {
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

test('values are those that live, the least recently used first, and who looks at them hears of those that do not', () => {
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

test('a store that something broke says what, whatever was thrown, and a closed one that it is closed', () => {
  const state = new StoreState('hr')
  state.guard()
  expect(state.broke('no error')).toBe('no error')
  expect(() => state.guard()).toThrow('no error')
  state.close()
  expect(() => state.guard()).toThrow('closed')
})
