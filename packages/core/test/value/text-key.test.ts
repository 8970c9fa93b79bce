import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText, textKey } from '../../src/value/compare.ts'

/**
 * Letters that fold to each other, contract, expand or are above the surrogates; few, so that they
 * collide.
 */
const letters = [
  'a',
  'A',
  'e',
  'é',
  'e\u0301',
  'ß',
  'ẞ',
  's',
  'Σ',
  'ς',
  'σ',
  'ﬁ',
  'İ',
  'ı',
  'ŉ',
  '\u0301',
  '\ue000',
  '\uffff',
  '😀',
  '𐐀',
  '𐐨',
  '\ud7ff',
]
const text = fc.array(fc.constantFrom(...letters), { maxLength: 5 }).map((parts) => parts.join(''))
const anyText = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 6 }))

/** The simplest correct order. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a, (c) => c.codePointAt(0)!)
  const right = Array.from(b, (c) => c.codePointAt(0)!)
  for (let i = 0; i < Math.min(left.length, right.length); i++)
    if (left[i] !== right[i]) return left[i] - right[i]
  return left.length - right.length
}
const sign = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

describe('comparison keys', () => {
  test('exact keys order texts by code point', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(sign(textKey(a, 'exact'), textKey(b, 'exact'))).toBe(Math.sign(byCodePoint(a, b)))
      }),
    )
  })

  test('folded keys order folded texts by code point', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const expected = Math.sign(byCodePoint(foldText(a), foldText(b)))
        expect(sign(textKey(a, 'folded'), textKey(b, 'folded'))).toBe(expected)
      }),
    )
  })

  test('the key of a concatenation is the concatenation of the keys', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.constantFrom('exact' as const, 'folded' as const),
        (a, b, collation) => {
          expect(textKey(a + b, collation)).toBe(textKey(a, collation) + textKey(b, collation))
        },
      ),
    )
  })
})

describe('long texts', () => {
  const piece = fc.tuple(fc.constantFrom(...letters), fc.integer({ min: 1, max: 20_000 }))

  test('have the key of their letters, at every place', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('exact' as const, 'folded' as const),
        (start, repeated, collation) => {
          const long = repeated.map(([letter, count]) => letter.repeat(count)).join('')
          const keys = repeated
            .map(([letter, count]) => textKey(letter, collation).repeat(count))
            .join('')
          // Without `toBe`, which would print both texts.
          expect(textKey(start + long, collation) === textKey(start, collation) + keys).toBe(true)
        },
      ),
    )
  })

  test('of millions of letters are folded', () => {
    expect(foldText('ü'.repeat(2_000_000)) === 'u'.repeat(2_000_000)).toBe(true)
  })
})

describe('folding', () => {
  test('folding every code point is idempotent and keeps nothing but small unmarked letters', () => {
    const changed: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const once = foldText(String.fromCodePoint(code))
      if (foldText(once) !== once || /\p{M}/u.test(once)) changed.push(code.toString(16))
    }
    expect(changed).toEqual([])
  })

  test('folding is idempotent', () => {
    fc.assert(
      fc.property(anyText, (a) => {
        expect(foldText(foldText(a))).toBe(foldText(a))
      }),
    )
  })

  test('neither case nor diacritics count', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'Ö', 'ñ', 'Ω', 'ж') }), (a) => {
        expect(foldText(a.toUpperCase())).toBe(foldText(a))
        expect(foldText(a.toLowerCase())).toBe(foldText(a))
        expect(foldText(a.normalize('NFD'))).toBe(foldText(a.normalize('NFC')))
      }),
    )
  })

  test.each([
    ['É', 'e'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ﬁn', 'fin'],
    ['Å', 'a'],
  ])('%s folds to %s', (given, folded) => {
    expect(foldText(given)).toBe(folded)
  })
})
