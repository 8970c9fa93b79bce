import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody } from '../../src/request/body.ts'
import { depthOf } from '../../src/request/json-text.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { codeOf } from '../error-code.ts'

const FORM = 'application/x-www-form-urlencoded'
const parse = (text: string, contentType = 'application/json') =>
  parseBody({ kind: 'text', text, contentType }, DEFAULT_LIMITS)

describe('bodies', () => {
  test.each([
    ['{bad', 'application/json', 'bodyMalformed'],
    ['null', 'application/json', 'bodyMalformed'],
    ['42', 'application/json', 'bodyMalformed'],
    ['"x"', 'application/json', 'bodyMalformed'],
    ['true', 'application/json', 'bodyMalformed'],
    ['[null]', 'application/json', 'bodyMalformed'],
    ['[[{}]]', 'application/json', 'bodyMalformed'],
    ['{"a":NaN}', 'application/json', 'bodyMalformed'],
    ["{'a':1}", 'application/json', 'bodyMalformed'],
    ['{"a":1,}', 'application/json', 'bodyMalformed'],
    ['{"a":1}{"a":2}', 'application/json', 'bodyMalformed'],
    ['['.repeat(100_000), 'application/json', 'bodyMalformed'],
    ['['.repeat(100_000) + ']'.repeat(100_000), 'application/json', 'bodyMalformed'],
    ['a=1&b=2', FORM, 'bodyMalformed'],
    ['--x', 'multipart/form-data; boundary=x', 'mediaTypeUnsupported'],
    ['\u0001\u0002', 'image/png', 'mediaTypeUnsupported'],
    [`[${'{},'.repeat(10_000)}{}]`, 'application/json', 'budgetExceeded'],
  ])('%.40s as %s is refused: %s', (text, contentType, code) => {
    expect(codeOf(() => parse(text, contentType))).toBe(code)
  })

  test('JSON is read whatever its content type', () => {
    for (const type of ['', 'text/plain', FORM, 'application/octet-stream', 'image/png'])
      expect(parse('{"a":1}', type)).toEqual({ kind: 'one', entity: new Map([['a', 1]]) })
  })

  test('a form undoes exactly the five escapes that a real client writes', () => {
    expect(parse('{"a":"O%27Brien %21%28%29%2a%2A %22 %41"}', FORM)).toEqual({
      kind: 'one',
      entity: new Map([['a', `O'Brien !()** %22 %41`]]),
    })
    expect(parse('{"a":"O%27Brien"}')).toEqual({
      kind: 'one',
      entity: new Map([['a', 'O%27Brien']]),
    })
  })

  test('an array and __ENTITIES are equivalent', () => {
    const many = { kind: 'many', entities: [new Map([['a', 1]]), new Map()] }
    expect(parse('[{"a":1},{}]')).toEqual(many)
    expect(parse('{"__ENTITIES":[{"a":1},{}]}')).toEqual(many)
  })

  test('an empty text, blanks and an empty parsed body count as no body', () => {
    expect(parse('')).toEqual({ kind: 'none' })
    expect(parse(' \n')).toEqual({ kind: 'none' })
    expect(parseBody({ kind: 'parsed', value: undefined }, DEFAULT_LIMITS)).toEqual({
      kind: 'none',
    })
  })

  test('a value that was parsed upstream is used unchanged, up to the same depth', () => {
    expect(parseBody({ kind: 'parsed', value: [{ a: 1 }] }, DEFAULT_LIMITS)).toEqual(
      parse('[{"a":1}]'),
    )
    let deep: unknown = 1
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(codeOf(() => parseBody({ kind: 'parsed', value: { deep } }, DEFAULT_LIMITS))).toBe(
      'bodyMalformed',
    )
  })

  test('__proto__ in a body is a name like any other and changes nothing', () => {
    const body = parse('{"__proto__":{"polluted":true}}')
    expect(body.kind === 'one' && [...body.entity.keys()]).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('the counted depth is the depth of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const depth = (inner: unknown): number =>
          typeof inner === 'object' && inner !== null
            ? 1 + Math.max(0, ...Object.values(inner).map(depth))
            : 0
        expect(depthOf(JSON.stringify(value))).toBe(depth(value))
      }),
    )
  })
})
