import { expect, test } from 'vitest'
import { anomalyIn, type Done } from './histories.ts'

const done = (
  id: string,
  appended: readonly number[],
  read: readonly (readonly [number, readonly string[]])[] = [],
  isCommitted = true,
): Done => ({ id, isCommitted, appended, read: new Map(read) })
const final = (...lists: readonly (readonly string[])[]) =>
  new Map(lists.map((list, at) => [at + 1, list]))

test('a serial history has no anomaly', () => {
  const history = [
    done('a', [1, 2]),
    done(
      'r',
      [],
      [
        [1, ['a']],
        [2, ['a']],
      ],
    ),
    done('b', [1], [[1, ['a']]]),
  ]
  expect(anomalyIn(history, final(['a', 'b'], ['a']))).toBeNull()
})

test.each<[string, readonly Done[], ReadonlyMap<number, readonly string[]>]>([
  ['G0', [done('a', [1, 2]), done('b', [1, 2])], final(['a', 'b'], ['b', 'a'])],
  ['G1a', [done('a', [1], [], false), done('r', [], [[1, ['a']]])], final([])],
  ['G1a', [done('a', [1], [], false)], final(['a'])],
  ['never was', [done('a', [1]), done('b', [1]), done('r', [], [[1, ['b']]])], final(['a', 'b'])],
  ['G1c', [done('a', [1], [[2, ['b']]]), done('b', [2], [[1, ['a']]])], final(['a'], ['b'])],
  [
    'G-single',
    [
      done('a', [1, 2]),
      done(
        'r',
        [],
        [
          [1, ['a']],
          [2, []],
        ],
      ),
    ],
    final(['a'], ['a']),
  ],
  ['G2', [done('a', [1], [[2, []]]), done('b', [2], [[1, []]])], final(['a'], ['b'])],
  ['lost update', [done('a', [1]), done('b', [1])], final(['b'])],
  ['twice', [done('a', [1])], final(['a', 'a'])],
])('%s is found', (name, history, lists) => {
  expect(anomalyIn(history, lists)).toContain(name)
})
