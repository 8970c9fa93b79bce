import { expect, test } from 'vitest'
import { allOrders, mergesOf } from './all-orders.ts'

test('`mergesOf` yields every merge of the steps once', () => {
  const orders = [...mergesOf([2, 1, 1])].map((order) => order.join(''))
  expect(orders).toHaveLength(12)
  expect(new Set(orders).size).toBe(12)
  for (const order of orders) expect([...order].sort().join('')).toBe('0012')
  expect([...mergesOf([3, 3, 3])]).toHaveLength(1680)
})

test('each order starts from a new state and runs each step once, and a failure names its order', () => {
  const worlds: string[] = []
  const spec = {
    begin: () => [] as string[],
    sessions: {
      A: [(world: string[]) => void world.push('a'), (world: string[]) => void world.push('b')],
      B: [(world: string[]) => void world.push('x')],
    },
    end: (world: string[]) => void worlds.push(world.join('')),
  }
  expect(allOrders(spec)).toBe(3)
  expect(worlds).toEqual(['abx', 'axb', 'xab'])
  const failing = {
    ...spec,
    end: (world: string[]) => {
      if (world[1] === 'x') throw new Error('no')
    },
  }
  expect(() => allOrders(failing)).toThrow('In the order A1 B1 A2: no')
})
