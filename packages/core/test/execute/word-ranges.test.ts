import { expect, test } from 'vitest'
import { codesOf } from '../../src/execute/index-access.ts'
import type { WordColumn } from '../../src/storage/column.ts'
import { Dictionary } from '../../src/storage/dictionary.ts'

test('a range selects its words in order, also more words than a call can have arguments', () => {
  const dictionary = new Dictionary('exact')
  for (let i = 0; i < 200_000; i++) dictionary.admit(`w${i}`)
  const column = { dictionary } as WordColumn
  const range = (low: string, high: string | null) =>
    codesOf(column, {
      kind: 'text',
      ranges: [{ low, high }],
      nulls: false,
      isPoints: false,
      isExact: true,
    })
  const words = (codes: readonly number[]) => codes.map((code) => dictionary.spellings[code])
  expect(range('w', null)).toHaveLength(200_000)
  expect(words(range('w19999', 'w199992'))).toEqual(['w19999', 'w199990', 'w199991'])
  expect(range('x', null)).toEqual([])
})
