import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textKey } from '../../src/value/compare.ts'
import {
  matchesWildcard,
  PatternList,
  parseWildcard,
  type Wildcard,
} from '../../src/value/pattern-list.ts'
import { runs } from '../runs.ts'

const pattern = fc
  .string({ unit: fc.constantFrom('a', 'b', 'ß', '\u0301', '@', '*'), minLength: 1, maxLength: 6 })
  .filter((text) => /[@*]/.test(text))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 's', 'É'), maxLength: 7 })
const wildcardOf = (text: string): Wildcard => parseWildcard(text, 'folded') as Wildcard

test('matches a text exactly if one of its patterns does', () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 40 }),
      fc.array(text, { maxLength: 10 }),
      (patterns, texts) => {
        const wildcards = patterns.map(wildcardOf)
        const list = new PatternList(wildcards)
        for (const one of texts) {
          const key = textKey(one, 'folded')
          const expected = wildcards.some((wildcard) => matchesWildcard(wildcard, key))
          expect(list.some(key, (wildcard) => matchesWildcard(wildcard, key))).toBe(expected)
        }
        expect(list.heads).toEqual([...new Set(list.heads)].sort())
      },
    ),
    runs(1000),
  )
})

test.each<[title: string, patternOf: (i: number) => string]>([
  ['begin differently', (i) => `name${i}@example.com`],
  ['end differently', (i) => `name@host${i}.com`],
  ['begin with a wildcard and end differently', (i) => `@host${i}.com`],
  ['begin with one another', (i) => `${'ab'.repeat(i % 40)}@${i}`],
])('compares a text with few of many patterns that %s', (_, patternOf) => {
  const texts = Array.from({ length: 2000 }, (_, i) => patternOf(i))
  const list = new PatternList(texts.map(wildcardOf))
  for (let i = 0; i < texts.length; i += 97) {
    let tried = 0
    list.some(texts[i].replace('@', '-'), () => {
      tried++
      return false
    })
    expect(tried).toBeGreaterThan(0)
    expect(tried).toBeLessThan(60)
  }
})
