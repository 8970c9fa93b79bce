import { describe, expect, test } from 'vitest'
import { inCodePointOrder, textKey } from '../../src/value/compare.ts'
import { matchesWildcard, parseWildcard } from '../../src/value/pattern-list.ts'

/**
 * Code points in order: the first and last of those with one unit and of those with two, and those
 * around each boundary.
 */
const IN_ORDER = [
  0x0, 0x40, 0x41, 0x5a, 0x5b, 0x61, 0x7f, 0x80, 0x3c3, 0x7ff, 0x800, 0xd7fe, 0xd7ff, 0xe000,
  0xe001, 0xe7ff, 0xe800, 0xf7ff, 0xf800, 0xfffe, 0xffff, 0x10000, 0x10001, 0x103ff, 0x10400,
  0x1f600, 0xfffff, 0x100000, 0x10fbff, 0x10fffe, 0x10ffff,
]

describe('the key of a text', () => {
  test('orders code points by number, alone and beside others', () => {
    const wrong: string[] = []
    for (const a of IN_ORDER)
      for (const b of IN_ORDER)
        for (const [before, after] of [
          ['', ''],
          ['x\u{1f600}', ''],
          ['\ue000', 'x'],
          ['', '\uffff'],
        ]) {
          const left = textKey(before + String.fromCodePoint(a) + after, 'exact')
          const right = textKey(before + String.fromCodePoint(b) + after, 'exact')
          if (left < right !== a < b || left > right !== a > b)
            wrong.push(`${a.toString(16)} ${b.toString(16)}`)
        }
    expect(wrong).toEqual([])
  })

  test('has one unit per unit, so that keys begin with and contain each other as their texts do', () => {
    const all = IN_ORDER.map((code) => String.fromCodePoint(code))
    for (const text of all) {
      const key = inCodePointOrder(text)
      expect(key).toHaveLength(text.length)
      expect(inCodePointOrder(`a${text}b`)).toBe(`a${key}b`)
    }
    expect(new Set(all.map(inCodePointOrder)).size).toBe(all.length)
  })

  test('folded, lowers the 26 ASCII capitals and keeps the rest of ASCII', () => {
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code)
      const isCapital = code >= 65 && code <= 90
      const folded = isCapital ? String.fromCharCode(code + 32) : character
      expect(textKey(character, 'folded')).toBe(folded)
      expect(textKey(`a${character}É`, 'folded')).toBe(`a${folded}e`)
      expect(textKey(character, 'exact')).toBe(character)
    }
  })
})

describe('the pieces of a pattern', () => {
  const matches = (pattern: string, text: string) =>
    matchesWildcard(parseWildcard(pattern, 'exact')!, text)

  test.each([
    ['a@b@b', 'ab'],
    ['a@ab', 'ab'],
    ['@ab@b', 'ab'],
    ['a@bc@c', 'abc'],
    ['a@b@cd@d', 'abcd'],
    ['aa@a', 'aa'],
    ['@aa@aa@', 'aaa'],
  ])('%s do not share characters of "%s"', (pattern, text) => {
    expect(matches(pattern, text)).toBe(false)
  })

  test.each([
    ['a@b@b', 'abb'],
    ['a@ab', 'aab'],
    ['@ab@b', 'abb'],
    ['a@bc@c', 'abcc'],
    ['aa@a', 'aaa'],
    ['@aa@aa@', 'aaaa'],
    ['a@@*b', 'ab'],
  ])('%s may touch each other in "%s"', (pattern, text) => {
    expect(matches(pattern, text)).toBe(true)
  })
})
