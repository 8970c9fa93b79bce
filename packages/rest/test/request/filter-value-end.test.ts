import { isEntiaError, splitFilter } from '@entia/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseParameters } from '../../src/request/parameters.ts'
import { splitQuery } from '../../src/request/query-string.ts'
import { codeOf } from '../error-code.ts'

/**
 * Pieces of text that are ambiguous for a reader that does not know the grammar.
 */
const pieces = fc.constantFrom(
  ...[
    'a',
    'b.c',
    'not',
    'and',
    'or',
    'except',
    'order by b',
    'order',
    'by',
    'in',
    'begin',
    'like',
    'is not',
    'null',
  ],
  ...[
    '=',
    '!=',
    '#',
    '%',
    '<=',
    '!',
    '|',
    '^',
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    ':1',
    '{2}',
    '!!2024-01-31!!',
  ],
  ...[
    "'x & y'",
    '"x & y"',
    "'&'",
    '"&$top=2"',
    "'b = 1'",
    '"b = 2 & c"',
    "''",
    "' order by b'",
    "'it\\u0027s & x'",
  ],
  ...[
    "O'Neil",
    "b-'x",
    "b,'x",
    "b['x",
    "'",
    '"',
    '\\',
    '\\u0022',
    '\\u0026',
    'é',
    ' ',
    ' ',
    ' ',
    '&',
  ],
)
const soup = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 8 }), fc.constantFrom('', ' '))
  .map(([parts, glue]) => parts.join(glue))

/** Filters that the grammar reads, mostly. */
const value = fc.constantFrom(
  ...[
    "'x & y'",
    '"x&$top=2"',
    "b,'x",
    "b['x",
    "b-'x",
    "O'Neil",
    "\\'x",
    '\\u0027x',
    "'\\u0027 & '",
    "'\\'",
    "'&\"&'",
    '5',
  ],
)
const comparator = fc.constantFrom(' = ', '=', '!=', ' like ', ' begin', ' is not', ' >', '#', '==')
const comparison = fc
  .tuple(fc.constantFrom('a', 'b.c', ':p'), comparator, value)
  .map((parts) => parts.join(''))
const list = fc.array(value, { maxLength: 3 }).map((items) => `a in[${items.join(',')}]`)
const quoted = fc.constantFrom("'b = 2 & c = 3'", '"b = \'&\'"', "'order = 1&a'")
const unit = fc.oneof({ weight: 4, arbitrary: comparison }, list, quoted)
const filter = fc
  .tuple(
    fc.constantFrom('', 'not', 'not ', '!', '('),
    fc.array(fc.tuple(unit, fc.constantFrom(' and', ' or ', '|', '^', ' and ', ' except')), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('', ' order by b', ' ORDER\tBY b desc, a', '\norder  by c'),
  )
  .map(([before, parts, order]) => {
    const text = parts
      .map(([part, joint], at) => part + (at === parts.length - 1 ? '' : joint))
      .join('')
    return `${before}${text}${before === '(' ? ')' : ''}${order}`
  })

const isFilter = (text: string): boolean => {
  try {
    splitFilter(text)
    return true
  } catch (error) {
    if (isEntiaError(error)) return false
    throw error
  }
}

/** True for the beginning of a filter whose last quote is still open. */
const endsInQuotes = (text: string): boolean => {
  try {
    splitFilter(text)
    return false
  } catch (error) {
    return isEntiaError(error, 'filterSyntax') && error.details.expected.startsWith('a closing')
  }
}

/**
 * Sends a text with each character raw or escaped. An `&` of the text is always escaped, unless it
 * is inside quotes.
 */
const written = (text: string, escaped: readonly boolean[]): string =>
  [...text]
    .map((sign, at) =>
      sign === '%' || (sign !== '&' && escaped[at % escaped.length])
        ? encodeURIComponent(sign)
        : sign,
    )
    .join('')

const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })
const end = fc.constantFrom('', '&$top=1', '&x', "&$orderby='a'", '&%24skip=2')
/** After a quote, a name without $ does not end a value. */
const parameterBehind = fc.constantFrom('', '&$top=1', "&$orderby='a'", '&%24skip=2')

describe('the end of a filter in an address', () => {
  test('agrees with the grammar, for every filter whose & is in quotes', () => {
    let seen = 0
    fc.assert(
      fc.property(fc.oneof(filter, soup), choices, end, (text, escaped, behind) => {
        fc.pre(!/^\s*['"]/.test(text) && isFilter(text))
        for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
          fc.pre(endsInQuotes(text.slice(0, at)))
        if (/['"]/.test(text)) seen++
        const [first] = splitQuery(`$filter=${written(text, escaped)}${behind}`)
        expect(first).toMatchObject({ name: '$filter', value: text })
      }),
      runs(4000, 4000),
    )
    expect(seen).toBeGreaterThan(100)
  })

  test('leaves out quotes around the whole value, whatever quotes are inside', () => {
    fc.assert(
      fc.property(
        fc.oneof(filter, soup),
        fc.constantFrom('"', "'"),
        parameterBehind,
        (text, quote, behind) => {
          fc.pre(isFilter(text) && text.trim() !== '')
          const sent = `$filter=${encodeURIComponent(quote + text + quote)}${behind}`
          const halves = splitFilter(text)
          expect(parseParameters(sent, DEFAULT_LIMITS).filter).toMatchObject({
            text,
            hasOrder: halves.orderBy !== null,
            isOrderOnly: halves.condition === null,
          })
        },
      ),
      runs(2000),
    )
  })

  test('is found by one scan per name, however often the name occurs', () => {
    const query = Array.from({ length: 2000 }, () => "$filter='a'").join('&')
    expect(codeOf(() => parseParameters(query, DEFAULT_LIMITS))).toBe('parameterTwice')
  })
})
