import { expect, test } from 'vitest'
import { WordOrder } from '../../src/storage/word-order.ts'
import { labelAfter } from './word-codes.ts'

/**
 * The codes of an order, whose labels must match their keys: equal for one key, ascending from key
 * to key.
 */
function codesIn(order: WordOrder, keys: readonly string[]): number[] {
  const codes: number[] = []
  order.some(false, (code) => codes.push(code) < 0)
  for (let i = 1; i < codes.length; i++) {
    const [before, code] = [codes[i - 1], codes[i]]
    const difference = order.labels[code] - order.labels[before]
    if (keys[before] === keys[code]) expect(difference).toBe(0)
    else expect(keys[before] < keys[code] && difference > 0).toBe(true)
  }
  expect(order.count).toBe(codes.length)
  return codes
}

test('many words between the same two get different labels, also words with several spellings', () => {
  const keys: string[] = []
  for (let i = 0; i < 700; i++) keys.push(`a${String(i).padStart(4, '0')}`)
  keys.push('z')
  const order = new WordOrder(
    keys,
    keys.map((_, code) => code),
    keys.length,
  )
  // Each sorts behind the words that begin with "a" and before the previous addition; every third
  // has a second spelling.
  for (let i = 0; i < 14_000; i++) {
    const key = `m${String(99_999 - i).padStart(5, '0')}`
    for (let spelling = 0; spelling <= Number(i % 3 === 0); spelling++)
      order.insert(keys.push(key) - 1)
  }
  const codes = codesIn(order, keys)
  expect(codes).toHaveLength(keys.length)
  expect(new Set(codes).size).toBe(keys.length)
  for (const key of ['a0000', 'm86000', 'm99999', 'z', 'm', 'zz']) {
    const [from, after] = [order.labelAtOrAfter(key), labelAfter(order, key)]
    expect(order.codesBetween(from, after).every((code) => keys[code] === key)).toBe(true)
    expect(order.codesBetween(from, after)).toHaveLength(keys.filter((each) => each === key).length)
  }
  expect(order.labelAtOrAfter('zz')).toBe(Number.POSITIVE_INFINITY)
})

test('spellings of one key that exceed a block have one label, whichever of them are removed', () => {
  const keys = ['a', 'z']
  const order = new WordOrder(keys, [0, 1], 2)
  for (let i = 0; i < 1500; i++) order.insert(keys.push('k') - 1)
  expect(order.codesBetween(order.labelAtOrAfter('k'), labelAfter(order, 'k'))).toHaveLength(1500)
  expect(order.labelAtOrAfter('b')).toBe(order.labelAtOrAfter('k'))
  for (let code = 2; code < keys.length; code += 2) order.remove(code)
  expect(codesIn(order, keys)).toHaveLength(752)
  expect(order.codesBetween(order.labelAtOrAfter('k'), labelAfter(order, 'k'))).toHaveLength(750)
  for (let code = 3; code < keys.length; code += 2) order.remove(code)
  order.remove(1)
  expect(codesIn(order, keys)).toEqual([0])
  order.remove(0)
  expect([order.count, order.labelAtOrAfter('a')]).toEqual([0, Number.POSITIVE_INFINITY])
  order.insert(1)
  order.insert(0)
  expect(codesIn(order, keys)).toEqual([0, 1])
})
