import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textKey } from '../../src/value/compare.ts'
import { matchesWildcard, parseWildcard, wildcardPrefix } from '../../src/value/pattern-list.ts'
import { runs } from '../runs.ts'

const pattern = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'é', '@', '*'), maxLength: 7 })
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'e', 'É'), maxLength: 8 })

/** Tries every split: obviously correct, but exponential. */
function matchesNaively(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern[0] !== '@')
    return text[0] === pattern[0] && matchesNaively(pattern.slice(1), text.slice(1))
  return (
    matchesNaively(pattern.slice(1), text) ||
    (text !== '' && matchesNaively(pattern, text.slice(1)))
  )
}

test.each(['exact', 'folded'] as const)(
  'matches the same texts as an exhaustive matcher (%s)',
  (collation) => {
    fc.assert(
      fc.property(pattern, text, (pattern, text) => {
        const wildcard = parseWildcard(pattern, collation)
        if (wildcard === null) {
          expect(pattern).not.toMatch(/[@*]/)
          return
        }
        const naive = matchesNaively(
          textKey(pattern.replaceAll('*', '@'), collation),
          textKey(text, collation),
        )
        expect(matchesWildcard(wildcard, textKey(text, collation))).toBe(naive)
      }),
      runs(500),
    )
  },
)

test('exactly the patterns "prefix@" have a prefix, and every match begins with it', () => {
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      const wildcard = parseWildcard(pattern, 'folded')
      if (wildcard === null) return
      const prefix = wildcardPrefix(wildcard)
      expect(prefix !== null).toBe(/^[^@*]+[@*]+$/.test(pattern))
      const key = textKey(text, 'folded')
      if (prefix !== null) expect(matchesWildcard(wildcard, key)).toBe(key.startsWith(prefix))
    }),
  )
})

test('a piece that folds to nothing is ignored', () => {
  const matches = (pattern: string, text: string) =>
    matchesWildcard(parseWildcard(pattern, 'folded')!, text)
  expect(matches('a@\u0301', 'abc')).toBe(true)
  expect(matches('\u0301@c', 'abc')).toBe(true)
})

test('a pattern made for backtracking is fast', () => {
  const wildcard = parseWildcard('@a'.repeat(400) + '@b', 'folded')!
  expect(matchesWildcard(wildcard, 'a'.repeat(100_000))).toBe(false)
})
