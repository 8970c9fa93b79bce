import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { placeOfProblem } from '../../src/request/json-place.ts'

test.each([
  ['{"a":1,}', 'line 1, column 8 ("}")'],
  ['{"a":1', 'line 1, column 7 (its end)'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3 ("\\"")'],
  ["{'a':1}", 'line 1, column 2 ("\'")'],
  ['[1, NaN]', 'line 1, column 5 ("N")'],
  ['{"a":"x\ny"}', 'line 1, column 8 ("\\n")'],
  ['{"a":1} {"b":2}', 'line 1, column 9 ("{")'],
  ['[1.]', 'line 1, column 4 ("]")'],
  ['["\\x"]', 'line 1, column 4 ("x")'],
  ['[trie]', 'line 1, column 4 ("i")'],
  ['[😀]', 'line 1, column 2 ("😀")'],
  [']', 'line 1, column 1 ("]")'],
  ['', 'line 1, column 1 (its end)'],
])('the problem of %j is at %s', (text, place) => {
  expect(placeOfProblem(text)).toBe(place)
})

/** Ends of a value that was cut anywhere. */
const RESTS = ['', '0', '"', '""', '"":0', ':0', '":0', 'n"', 'n":0', 'rue', 'ue', 'e', 'alse']
  .concat(['lse', 'se', 'ull', 'll', 'l', '0000"', '000"', '00"', '0"'])
  .flatMap((rest) => (rest.startsWith('0') && rest.endsWith('"') ? [rest, `${rest}:0`] : [rest]))

/** True if a text is the beginning of JSON. */
function canBeJson(text: string): boolean {
  const open: string[] = []
  let isInside = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (isInside && sign === '\\') at++
    else if (sign === '"') isInside = !isInside
    else if (!isInside && (sign === '{' || sign === '[')) open.push(sign === '{' ? '}' : ']')
    else if (!isInside && (sign === '}' || sign === ']')) open.pop()
  }
  const closing = open.reverse().join('')
  return RESTS.some((rest) => {
    try {
      JSON.parse(text + rest + closing)
      return true
    } catch {
      return false
    }
  })
}

test('the text before a problem can be JSON, and with the next character it cannot', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '\\', 'u00', ' ', '\n')
  const more = fc.constantFrom(
    '1',
    '0',
    '-',
    '.',
    'e',
    '+',
    'true',
    'f',
    'null',
    'x',
    '\t',
    '\u0001',
  )
  const whole = fc.json({ maxDepth: 3 })
  const cut = fc
    .tuple(whole, fc.nat(), fc.nat({ max: 2 }), fc.array(fc.oneof(piece, more), { maxLength: 2 }))
    .map(([text, at, less, added]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + added.join('') + text.slice(place + less)
    })
  const drawn = fc.array(fc.oneof(piece, more), { maxLength: 12 }).map((parts) => parts.join(''))
  let met = 0
  fc.assert(
    fc.property(fc.oneof(cut, drawn), (text) => {
      try {
        JSON.parse(text)
        return
      } catch {
        met++
      }
      const [, line, column] = /^line (\d+), column (\d+) \(/.exec(placeOfProblem(text))!
      const before = text.split('\n').slice(0, Number(line) - 1)
      const at = before.reduce((sum, { length }) => sum + length + 1, 0) + Number(column) - 1
      expect([text, canBeJson(text.slice(0, at))]).toEqual([text, true])
      if (at < text.length) expect([text, canBeJson(text.slice(0, at + 1))]).toEqual([text, false])
    }),
    runs(3000, 600),
  )
  expect(met).toBeGreaterThan(100)
})

test('a body of many megabytes is searched in a moment', () => {
  for (const body of ['a'.repeat(2e6), '\\n'.repeat(2e6)]) {
    const began = performance.now()
    expect(placeOfProblem(`["${body}"x]`)).toBe(`line 1, column ${body.length + 4} ("x")`)
    expect(placeOfProblem(`{"${body}`)).toBe(`line 1, column ${body.length + 3} (its end)`)
    expect(performance.now() - began).toBeLessThan(5000)
  }
})
