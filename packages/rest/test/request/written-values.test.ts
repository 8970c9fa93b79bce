import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { parseAddress } from '../../src/request/address.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseParameters } from '../../src/request/parameters.ts'

/** Text full of what query strings, JSON and filters give a meaning to. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom("'", '"', '\\', '&', '=', '%', '+', '#', ';', ' ', ','),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('a', 'O', '1', '[', ']', '{', '}', '(', ')', ':', '/', '?', '$'),
      },
      fc.constantFrom(
        '&$top=1',
        '&%24top=1',
        "'&",
        '"&',
        '%22',
        '%27',
        '\\u0027',
        '%26',
        ' and ',
        '__',
        'é',
        '😀',
      ),
      fc.constantFrom('\t', '\n', '\r', '\u0000', '\u007f', '\u00a0', '\u2028'),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''))

/**
 * The value as a person types it into an address bar: only characters that would end it, or begin
 * an escape, are escaped.
 */
const typed = (value: string): string => value.replace(/[%#]/g, encodeURIComponent)

/**
 * What a URL library makes of that: quotes, blanks and letters beyond ASCII are escaped, and `&`
 * and `=` are not.
 */
const byLibrary = (value: string): string =>
  value.replace(/[%#"<> ]|[^!-~]/gu, (sign) => encodeURIComponent(sign)).replaceAll("'", '%27')

const form = (name: string, value: string): string =>
  new URLSearchParams([[name, value]]).toString()

/** Every documented way to write a parameter that may hold `&` within quotes. */
const WAYS: readonly (readonly [string, (name: string, value: string, quote: string) => string])[] =
  [
    ['escaped', (name, value) => `${name}=${encodeURIComponent(value)}`],
    [
      'escaped with its name',
      (name, value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    ],
    [
      'escaped within quotes',
      (name, value, quote) => `${name}=${quote}${encodeURIComponent(value)}${quote}`,
    ],
    [
      'quotes and all escaped',
      (name, value, quote) => `${name}=${encodeURIComponent(quote + value + quote)}`,
    ],
    ['by a form encoder', form],
    ['within quotes by a form encoder', (name, value, quote) => form(name, quote + value + quote)],
    ['typed', (name, value) => `${name}=${typed(value)}`],
    ['typed within quotes', (name, value, quote) => `${name}=${quote}${typed(value)}${quote}`],
    ['by a URL library', (name, value) => `${name}=${byLibrary(value)}`],
    [
      'within quotes by a URL library',
      (name, value, quote) => `${name}=${byLibrary(quote + value + quote)}`,
    ],
  ]

/** The other parameters of a request, before and after the value. */
const BEFORE = fc.constantFrom('', '$top=7&', "note=it's&$top=7&", '%24top=7&')
const BEHIND = fc.constantFrom('', '&$skip=3', '&note=a+"b', "&$orderby='name'", '&%24skip=3')

const json = fc.oneof(
  fc.array(fc.oneof(text, fc.array(text, { maxLength: 2 })), { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 2 }),
)
/** JSON.stringify alone, with the interface's escapes of quotes, and spread over lines. */
const spelling = fc.constantFrom<(value: unknown) => string>(
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value).replaceAll("'", '\\u0027'),
  (value) => JSON.stringify(value, null, 1),
)

describe('a value arrives unchanged in every form of the protocol', () => {
  test.each(WAYS)('$params %s', (_way, write) => {
    fc.assert(
      fc.property(
        BEFORE,
        json,
        spelling,
        fc.constantFrom("'", '"'),
        BEHIND,
        (before, value, spell, quote, behind) => {
          fc.pre(!('__proto__' in value && Object.hasOwn(value, '__proto__')))
          const query = `${before}${write('$params', spell(value), quote)}${behind}`
          const { params, skip, top } = parseParameters(query, DEFAULT_LIMITS)
          expect([params, top, skip]).toEqual([
            value,
            before === '' ? null : 7,
            /skip/.test(behind) ? 3 : 0,
          ])
        },
      ),
      runs(300),
    )
  })

  /** The interface writes quotes inside a value as escapes, and a backslash would begin one. */
  const escaped = (value: string): string =>
    value.replace(/['"\\]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

  test.each(WAYS)('a text inside $filter and $savedfilter %s', (_way, write) => {
    const names = fc.constantFrom('$filter', '$savedfilter')
    // Wrapped in double quotes the filter has single ones inside.
    fc.assert(
      fc.property(names, BEFORE, text, BEHIND, (name, before, value, behind) => {
        const filter = `name = '${escaped(value)}' and x > 1`
        const parameters = parseParameters(
          `${before}${write(name, filter, '"')}${behind}`,
          DEFAULT_LIMITS,
        )
        const { filter: read, savedFilter, top, skip } = parameters
        expect([(read ?? savedFilter)?.text, top, skip]).toEqual([
          filter,
          before === '' ? null : 7,
          /skip/.test(behind) ? 3 : 0,
        ])
      }),
      runs(300),
    )
  })

  test('a quote inside a bare word of a filter is a letter, whatever stands before it', () => {
    for (const word of ["O'Reilly", "@'x", "-'x", `5'10"`, "x/'y", "é'x", "😀'x"])
      for (const write of [(value: string) => value, encodeURIComponent])
        expect(
          parseParameters(`$filter=name=${write(word)}&$params=["'"]&$top=5`, DEFAULT_LIMITS),
        ).toMatchObject({
          filter: { text: `name=${word}`, params: ["'"] },
          top: 5,
        })
  })

  /** These hold names: what an encoder wrote ends at the next `&`, whatever quotes are in it. */
  test.each(['$orderby', '$savedorderby', '$subOrderby', '$imageformat', '$rawPict', '$emMethod'])(
    '%s by an encoder',
    (name) => {
      const read = new Map([
        ['$orderby', 'orderBy'],
        ['$savedorderby', 'savedOrderBy'],
        ['$subOrderby', 'subOrderBy'],
        ['$imageformat', 'imageFormat'],
        ['$rawPict', 'rawPict'],
        ['$emMethod', 'emMethod'],
      ] as const).get(name as '$orderby')!
      fc.assert(
        fc.property(
          BEFORE,
          text,
          BEHIND,
          fc.constantFrom(form, WAYS[0]![1], WAYS[1]![1]),
          (before, value, behind, write) => {
            fc.pre(!/^\s*['"]|^\s*$/.test(value) && !behind.includes('order'))
            const parameters = parseParameters(
              `${before}${write(name, value, '')}${behind}`,
              DEFAULT_LIMITS,
            )
            expect([parameters[read], parameters.skip]).toEqual([
              value.trim(),
              /skip/.test(behind) ? 3 : 0,
            ])
          },
        ),
        runs(300),
      )
    },
  )

  test('a key in quotes, with escapes', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('(', '['),
        fc.constantFrom('"', "'"),
        fc.boolean(),
        (key, open, quote, isAll) => {
          const close = open === '(' ? ')' : ']'
          const mark = isAll ? encodeURIComponent(quote) : quote
          const path = `/rest/T${open}${mark}${encodeURIComponent(key)}${mark}${close}/name,x/$entityset/AB`
          expect(parseAddress(path, '/rest')).toMatchObject({
            selector: { kind: 'key', text: key },
            parts: [
              { kind: 'names', names: ['name', 'x'] },
              { kind: 'entitySet', id: 'AB' },
            ],
          })
        },
      ),
      runs(1000),
    )
  })
})
