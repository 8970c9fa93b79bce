import { expect, test } from 'vitest'
import { matchesKeyword, parseKeywords, wordsOf } from '../../src/value/pattern-list.ts'

const finds = (keywords: string, text: string): boolean =>
  matchesKeyword(parseKeywords(keywords), text)

test('words are runs of letters and digits, without case and diacritics', () => {
  expect(wordsOf("L'été 2024, à Saint-Étienne!")).toEqual([
    'l',
    'ete',
    '2024',
    'a',
    'saint',
    'etienne',
  ])
  expect(wordsOf(' …')).toEqual([])
})

test('a keyword is a whole word, or its beginning with @', () => {
  expect(finds('ETE', "L'été")).toBe(true)
  expect(finds('et', "L'été")).toBe(false)
  expect(finds('et@', "L'été")).toBe(true)
})

test('all keywords must occur, in any order', () => {
  expect(finds('paris 2024', '2024: Paris')).toBe(true)
  expect(finds('paris 2025', '2024: Paris')).toBe(false)
})

test('a search without words finds nothing', () => {
  expect(finds('…', 'anything')).toBe(false)
})
