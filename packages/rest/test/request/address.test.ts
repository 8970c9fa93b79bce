import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { entityUri } from '../../src/render/uri.ts'
import { parseAddress } from '../../src/request/address.ts'
import { codeOf } from '../error-code.ts'

const parse = (path: string) => parseAddress(path, '/rest')

describe('paths', () => {
  test.each([
    ['/rest/Company', { kind: 'data', dataClass: 'Company', selector: null, parts: [] }],
    ['/rest//Company/', { kind: 'data', dataClass: 'Company', selector: null, parts: [] }],
    [
      '/rest/Company(7)',
      { kind: 'data', dataClass: 'Company', selector: { kind: 'key', text: '7' }, parts: [] },
    ],
    [
      '/rest/Company[7]',
      { kind: 'data', dataClass: 'Company', selector: { kind: 'key', text: '7' }, parts: [] },
    ],
    [
      '/rest/Company%5B7%5D',
      { kind: 'data', dataClass: 'Company', selector: { kind: 'key', text: '7' }, parts: [] },
    ],
    [
      '/rest/Setting("a/b)c")',
      { kind: 'data', dataClass: 'Setting', selector: { kind: 'key', text: 'a/b)c' }, parts: [] },
    ],
    [
      '/rest/Setting(%22a%2Fb%29%22)',
      { kind: 'data', dataClass: 'Setting', selector: { kind: 'key', text: 'a/b)' }, parts: [] },
    ],
    [
      '/rest/Setting(a%29b)',
      { kind: 'data', dataClass: 'Setting', selector: { kind: 'key', text: 'a)b' }, parts: [] },
    ],
    [
      '/rest/Place(Rye%20(old)%20(new))/name',
      {
        kind: 'data',
        dataClass: 'Place',
        selector: { kind: 'key', text: 'Rye (old) (new)' },
        parts: [{ kind: 'names', names: ['name'] }],
      },
    ],
    [
      '/rest/Users:Name(user1)',
      {
        kind: 'data',
        dataClass: 'Users',
        selector: { kind: 'attribute', attribute: 'Name', text: 'user1' },
        parts: [],
      },
    ],
    [
      '/rest/People(3)/firstName,lastName/',
      {
        kind: 'data',
        dataClass: 'People',
        selector: { kind: 'key', text: '3' },
        parts: [{ kind: 'names', names: ['firstName', 'lastName'] }],
      },
    ],
    [
      '/rest/People/$entityset/ABC/name',
      {
        kind: 'data',
        dataClass: 'People',
        selector: null,
        parts: [
          { kind: 'entitySet', id: 'ABC' },
          { kind: 'names', names: ['name'] },
        ],
      },
    ],
    ['/rest', { kind: 'catalog', names: null }],
    ['/rest/', { kind: 'catalog', names: null }],
    ['/rest/$catalog', { kind: 'catalog', names: null }],
    ['/rest/$catalog/', { kind: 'catalog', names: null }],
    ['/rest/$catalog/$all', { kind: 'catalog', names: 'all' }],
    ['/rest/$catalog/A,B', { kind: 'catalog', names: ['A', 'B'] }],
    ['/rest/$directory/login', { kind: 'directory', command: 'login' }],
    ['/rest/$info', { kind: 'info', part: null }],
    ['/rest/$info/entitySet', { kind: 'info', part: 'entitySet' }],
    [
      '/rest/$singleton/Factory/build',
      { kind: 'singleton', singleton: 'Factory', functionName: 'build' },
    ],
    ['/rest/$upload', { kind: 'upload' }],
    ['/rest/$entityset/$release', { kind: 'releaseSets' }],
    // Decoded once: the remaining text names nothing.
    ['/rest/%252e%252e', { kind: 'data', dataClass: '%2e%2e', selector: null, parts: [] }],
  ])('%s', (path, address) => {
    expect(parse(path)).toEqual(address)
  })

  test.each([
    ['/restful/Company', 'resourceNotFound'],
    ['/other', 'resourceNotFound'],
    ['/rest/$nosuch', 'resourceNotFound'],
    ['/rest/$directory', 'resourceNotFound'],
    ['/rest/$directory/__proto__', 'resourceNotFound'],
    ['/rest/$info/constructor', 'resourceNotFound'],
    ['/rest/$singleton/Factory', 'resourceNotFound'],
    ['/rest/$upload/more', 'resourceNotFound'],
    ['/rest/$entityset/ABC', 'resourceNotFound'],
    ['/rest/$transaction/$start', 'resourceNotFound'],
    ['/rest/Company(1', 'urlMalformed'],
    ['/rest/Company[1', 'urlMalformed'],
    ['/rest/Company(1]', 'urlMalformed'],
    ['/rest/Company(1)(2)', 'urlMalformed'],
    ['/rest/Company((1)', 'urlMalformed'],
    ['/rest/Company(a(b[1]))', 'urlMalformed'],
    ['/rest/Company(', 'urlMalformed'],
    ['/rest/Company([object Object])', 'urlMalformed'],
    ['/rest/Company:name', 'urlMalformed'],
    ['/rest/%E0%A4%A', 'urlMalformed'],
    ['/rest/%FF%FE', 'urlMalformed'],
    ['/rest/Company/$entityset/', 'urlMalformed'],
    ['/rest/$catalog/A/B', 'urlMalformed'],
    ['/rest/People&$filter="a=1"', 'questionMarkMissing'],
    ['/rest/People/$filter="a=1"&$queryplan=true', 'questionMarkMissing'],
    ['/rest/People/$filter=a', 'questionMarkMissing'],
  ])('%s is refused: %s', (path, code) => {
    expect(codeOf(() => parse(path))).toBe(code)
  })

  test('a key without its closing bracket is refused for that, also if it ends in an escape', () => {
    for (const path of ['/rest/Company(%22', '/rest/Company["a%20', '/rest/Company:name(a%27'])
      expect(() => parse(path)).toThrow(/the key lacks its [)\]]/)
  })

  test('an emitted address is read back to the same key, whatever the key', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', minLength: 1 }),
          fc.constantFrom('a"b', "x'", '")', '/', '%22'),
        ),
        (key) => {
          const address = parse(entityUri('/rest', 'Setting', key))
          expect(address).toEqual({
            kind: 'data',
            dataClass: 'Setting',
            selector: { kind: 'key', text: key },
            parts: [],
          })
        },
      ),
      runs(1000),
    )
  })

  test('every path is parsed or refused with an expected error', () => {
    const soup = fc.array(
      fc.constantFrom(
        '/',
        '(',
        ')',
        '[',
        ']',
        '"',
        "'",
        '%22',
        '%',
        '%28',
        ',',
        ':',
        '$',
        '&',
        'A',
      ),
      {
        maxLength: 40,
      },
    )
    fc.assert(
      fc.property(soup, (parts) => {
        expect(['nothing', 'urlMalformed', 'questionMarkMissing', 'resourceNotFound']).toContain(
          codeOf(() => parse(`/rest/${parts.join('')}`)),
        )
      }),
      runs(2000),
    )
  })
})
