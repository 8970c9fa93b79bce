import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { unquote } from '../../src/request/percent.ts'
import { splitQuery } from '../../src/request/query-string.ts'
import { codeOf } from '../error-code.ts'

const valuesOf = (query: string): readonly (readonly [string, string])[] =>
  [...splitQuery(query)].map(({ name, value }) => [name, unquote(value)])

/** Text full of what separates parameters, but without the quote that wraps it and without `%`. */
const inside = (quote: string) =>
  fc
    .array(
      fc.constantFrom(
        '&',
        '=',
        '?',
        '$',
        '+',
        ' ',
        'a',
        '$top=1',
        '&$top=2',
        'é',
        quote === '"' ? "'" : '"',
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join(''))

const wrapped = fc
  .constantFrom('"', "'")
  .chain((quote) =>
    fc.tuple(inside(quote), fc.boolean()).map(([text, isEscaped]) => ({ quote, text, isEscaped })),
  )

describe('splitting a query string', () => {
  test('raw & and = inside raw or escaped quotes around a value are part of it', () => {
    fc.assert(
      fc.property(fc.array(wrapped, { minLength: 1, maxLength: 4 }), (values) => {
        const query = values
          .map(({ quote, text, isEscaped }, at) => {
            const mark = isEscaped ? (quote === '"' ? '%22' : '%27') : quote
            return `$p${at}=${mark}${text}${mark}`
          })
          .join('&')
        expect(valuesOf(query)).toEqual(values.map(({ text }, at) => [`$p${at}`, text]))
      }),
    )
  })

  test('any text encoded with encodeURIComponent is read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        const query = `a=${encodeURIComponent(first)}&$b=${encodeURIComponent(`"${second}"`)}`
        const [a, b] = splitQuery(query)
        expect(a).toEqual({ name: 'a', value: first, hasPlus: false })
        // An inner quote of the wrapping kind must not be followed by & or the end.
        expect(unquote(b?.value ?? '')).toBe(second)
      }),
    )
  })

  test('an apostrophe inside a word is a letter', () => {
    expect(valuesOf("$filter=lastName=O'Reilly&$top=1")).toEqual([
      ['$filter', "lastName=O'Reilly"],
      ['$top', '1'],
    ])
  })

  test('a quote where a word begins hides & until it closes', () => {
    expect(valuesOf("$filter=name = 'AT&T' and x=1&$top=1")).toEqual([
      ['$filter', "name = 'AT&T' and x=1"],
      ['$top', '1'],
    ])
    expect(valuesOf('$params=["a&b","c"]&$top=1')).toEqual([
      ['$params', '["a&b","c"]'],
      ['$top', '1'],
    ])
  })

  test('a raw apostrophe inside a single-quoted parameter is kept if the next parameter shows its end', () => {
    expect(valuesOf(`$params='["O'Hara"]'&$limit=40`)).toEqual([
      ['$params', `["O'Hara"]`],
      ['$limit', '40'],
    ])
  })

  test('an inner quote never turns the rest of a filter into a name that would be ignored', () => {
    expect(codeOf(() => valuesOf('$filter="name="AT&T"&city="x""'))).toBe('nothing')
    expect(valuesOf('$filter="name="AT&T"&city="x""')).toEqual([
      ['$filter', 'name="AT&T"&city="x"'],
    ])
    expect(codeOf(() => valuesOf('$filter="name="AT"&city=x'))).toBe('quoteMissing')
  })

  test('a quote that does not close has an error of its own', () => {
    expect(codeOf(() => valuesOf("$filter='abc&$top=5"))).toBe('quoteMissing')
    expect(codeOf(() => valuesOf('$filter="abc'))).toBe('quoteMissing')
    expect(codeOf(() => valuesOf("$filter=name = 'abc"))).toBe('quoteMissing')
  })

  test('+ stays a plus, an escaped && is kept, and decoding happens once', () => {
    expect(valuesOf('$filter=a%3D1%26%26b%3D2+3&x=%2522')).toEqual([
      ['$filter', 'a=1&&b=2+3'],
      ['x', '%22'],
    ])
  })

  test('a truncated escape and invalid UTF-8 are malformed', () => {
    for (const query of ['$filter=%', '$filter=%E0%A4%A', 'x=%FF%FE', '%zz=1'])
      expect([query, codeOf(() => valuesOf(query))]).toEqual([query, 'urlMalformed'])
  })

  test('values of names without $ end at the next &, whatever they contain', () => {
    expect(valuesOf(`note='x&$top=1`)).toEqual([
      ['note', "'x"],
      ['$top', '1'],
    ])
  })

  test('every input is split or refused with an expected error', () => {
    const soup = fc.array(
      fc.constantFrom(
        '"',
        "'",
        '%22',
        '%27',
        '&',
        '&$',
        '=',
        '%',
        '%20',
        ' ',
        'a',
        '$x',
        '(',
        '\\',
        'é',
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(soup, (parts) => {
        expect(['nothing', 'quoteMissing', 'urlMalformed']).toContain(
          codeOf(() => valuesOf(parts.join(''))),
        )
      }),
      runs(2000),
    )
  })
})
