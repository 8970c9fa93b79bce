import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { entityUri, relationUri } from '../../src/render/uri.ts'
import { parseAddress } from '../../src/request/address.ts'

/** How proxies and HTTP libraries change a path. */
const CHANGES: { readonly [what: string]: (path: string) => string } = {
  'leaves it as it is': (path) => path,
  // nginx whose proxy_pass has a path: the path is decoded, its dot segments and double slashes are
  // resolved, and it is encoded again.
  'decodes, resolves and encodes it anew': (path) => {
    const decoded = decodeURIComponent(path)
    if (decoded.includes('\0')) throw new Error('refused')
    return encodeURI(resolveDots(decoded.replace(/\/{2,}/g, '/')))
      .replace(/%5[BD]/g, decodeURIComponent)
      .replace(/[?#;]/g, encodeURIComponent)
  },
  'turns backslashes into slashes, as browsers do': (path) =>
    resolveDots(path.replace(/\\|%5c/gi, '/')),
  'takes escaped slashes for slashes': (path) =>
    resolveDots(path.replace(/%2f|%5c/gi, '/').replace(/\/{2,}/g, '/')),
  'resolves dot segments, escaped ones too': (path) => resolveDots(path.replace(/%2e/gi, '.')),
  'merges slashes': (path) => path.replace(/\/{2,}/g, '/'),
  'cuts path parameters off': (path) => path.replace(/;[^/]*/g, ''),
  'escapes brackets': (path) => path.replace(/[[\]]/g, encodeURIComponent),
  'escapes all but letters and digits': (path) =>
    path.replace(/[^\w/%.~-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`),
  'decodes what need not be escaped': (path) =>
    path.replace(/%[\da-f]{2}/gi, (triplet) =>
      /[\w.~-]/.test(decodeURIComponentOrNot(triplet)) ? decodeURIComponent(triplet) : triplet,
    ),
  'writes escapes in small letters': (path) =>
    path.replace(/%[\dA-F]{2}/g, (triplet) => triplet.toLowerCase()),
  'is a URL of the platform': (path) => new URL(path, 'http://host').pathname,
}

function decodeURIComponentOrNot(triplet: string): string {
  try {
    return decodeURIComponent(triplet)
  } catch {
    return ''
  }
}

function resolveDots(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  return kept.join('/')
}

const hostileParts = fc.constantFrom(
  ...[
    '/',
    '\\',
    '%',
    '%2F',
    '%2f',
    '%5C',
    '%25',
    '..',
    '.',
    '//',
    ';',
    '?',
    '#',
    '(',
    ')',
    '[',
    ']',
    '"',
    "'",
    '"]',
    '")',
    '["',
    '&$',
    ':',
    ',',
  ],
  ...[
    '$',
    '+',
    ' ',
    '\0',
    '\r\n',
    '\t',
    '\u007f',
    '\u0085',
    '~',
    '~a~2Fb',
    '\\u002F',
    '<',
    '>',
    '{',
    '}',
    '|',
    '^',
    '`',
    '*',
    '!',
    '@',
    '=',
  ],
  ...['é', 'e\u0301', '😀', '\u202e', 'שלום', '\ufeff', 'a', '7', '-', '_'],
)
const hostileTexts = fc.oneof(
  fc.array(hostileParts, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1 }),
)
const keys = fc.oneof(
  { arbitrary: hostileTexts, weight: 5 },
  {
    arbitrary: fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(1e21, 5e-324, -0, 0.1),
    ),
    weight: 1,
  },
)
const names = fc.constantFrom('Setting', 'Größe_9', 'מקום', '設定')

/** The characters that RFC 3986 allows in a path, and square brackets. */
const PLAIN = /^(?:[\w\-.~!$&'()*+,;=:@/?[\]]|%[\dA-F]{2})+$/

describe('an emitted address, whatever the key', () => {
  for (const [what, change] of Object.entries(CHANGES))
    test(`is read back to the same entity where a proxy ${what}`, () => {
      fc.assert(
        fc.property(names, keys, names, (dataClass, key, relation) => {
          const uri = relationUri(entityUri('/rest', dataClass, key), relation)
          const path = change(uri.slice(0, uri.indexOf('?')))
          expect(parseAddress(path, '/rest')).toEqual({
            kind: 'data',
            dataClass,
            selector: { kind: 'key', text: String(key) },
            parts: [{ kind: 'names', names: [relation] }],
          })
        }),
        runs(1000),
      )
    })

  test('is ASCII, without quotes, brackets of other kinds, backslashes and blanks', () => {
    fc.assert(
      fc.property(names, keys, names, (dataClass, key, relation) => {
        expect(relationUri(entityUri('/rest', dataClass, key), relation)).toMatch(PLAIN)
      }),
      runs(2000),
    )
  })

  test('is the only text read as the form with ~: other texts that begin so are read literally', () => {
    const keyOf = (path: string) => {
      const address = parseAddress(path, '/rest')
      return address.kind === 'data' ? address.selector : null
    }
    expect(entityUri('/rest', 'S', 'a/b')).toBe('/rest/S[~a~2Fb]')
    expect(entityUri('/rest', 'S', '~a~2Fb')).toBe('/rest/S[%22~a~2Fb%22]')
    for (const [text, key] of [
      ['~a~2Fb', 'a/b'],
      ['"~a~2Fb"', '~a~2Fb'],
      ['%22~a~2Fb%22', '~a~2Fb'],
      ['~a~2fb', '~a~2fb'],
      ['~41', '~41'],
      ['~', '~'],
      ['~~', '~~'],
      ['~FF', '~FF'],
      ['~home', '~home'],
    ] as const) {
      expect(keyOf(`/rest/S[${text}]`)).toEqual({ kind: 'key', text: key })
      expect(keyOf(`/rest/S(${text})`)).toEqual({ kind: 'key', text: key })
    }
  })
})
