import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { DEFAULT_FILTER_LIMITS } from '../../src/filter/filter-errors.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { thing } from './kinds-catalog.ts'
import { refusalOf } from './refusal.ts'
import { used } from './used.ts'

const bind = (text: string, parameters?: FilterParameters) =>
  prepareFilter(text, thing).bind(parameters)

const NUMBER = 'a number'
const FINITE = 'a finite number'
const DATE = 'a date such as 2024-01-31 or 2024-01-31T12:00:00Z'
const INSTANT = 'a date: a Date, ISO 8601 text or epoch milliseconds'
const UUID = 'a UUID of 32 hexadecimal digits'
const SPAN = 'a duration: milliseconds or "hh:mm:ss"'
const BOOL = 'true or false'

describe('a literal of another type', () => {
  test.each([
    ['flag', '1', BOOL],
    ['flag', 'truely', BOOL],
    ['flag', 'yes', BOOL],
    ['isOld', '0', BOOL],
    ['count', 'x', NUMBER],
    ['count', '1,5', NUMBER],
    ['count', '0x10', NUMBER],
    ['count', '1e999', NUMBER],
    ['count', 'true', NUMBER],
    ['sum', 'x', NUMBER],
    ['large', '-', NUMBER],
    ['amount', 'NaN', NUMBER],
    ['amount', '1.2.3', NUMBER],
    ['day', '2024-02-30', DATE],
    ['day', '2024-13-01', DATE],
    ['day', '31.1.2024', DATE],
    ['birthday', 'today', DATE],
    ['moment', '2024-01-31T25:00:00Z', DATE],
    ['moment', '5', DATE],
    ['instant', 'now', DATE],
    ['badge', 'abc', UUID],
    ['badge', '0123456789abcdef0123456789abcdeg', UUID],
    ['badge', 'true', UUID],
    ['token', '0123', UUID],
    ['boxCode', 'x', UUID],
    ['span', '1:2', SPAN],
    ['span', 'long', SPAN],
  ])('of %s, %s, is refused at its place with what is expected', (name, literal, expected) => {
    const problem = `"${name}" is compared with ${expected}, not with the text "${literal}".`
    for (const sign of ['=', '===', '!=', '!==', '>', '>=', '<', '<='])
      for (const written of [literal, `'${literal}'`]) {
        const filter = `ID > 0 and ${name} ${sign} ${written}`
        const error = refusalOf(() => bind(filter))
        const offset = filter.indexOf(written, 11 + name.length)
        expect([error.code, error.details, Object.hasOwn(error, 'cause')]).toEqual([
          'filterCannotBeAnalysed',
          { filter, offset, problem },
          false,
        ])
      }
    const list = `${name} in [@, '${literal}']`
    expect(refusalOf(() => bind(list)).details).toEqual({
      filter: list,
      offset: list.indexOf(`'`),
      problem,
    })
  })
})

describe('a given value of another type', () => {
  test.each<[string, unknown, string, string]>([
    ['flag', 1, BOOL, 'the number 1'],
    ['flag', new Date(0), BOOL, 'a Date'],
    ['isOld', [true], BOOL, 'an array'],
    ['count', true, FINITE, 'the boolean true'],
    ['count', Number.NaN, FINITE, 'a number that is NaN'],
    ['large', Number.POSITIVE_INFINITY, FINITE, 'the number Infinity'],
    ['large', 5n, FINITE, 'a bigint'],
    ['sum', {}, FINITE, 'an object'],
    ['amount', [1], FINITE, 'an array'],
    ['amount', ['@'], FINITE, 'an array'],
    ['flag', ['*'], BOOL, 'an array'],
    ['word', ['@'], 'text', 'an array'],
    ['moment', { toString: () => '@' }, INSTANT, 'an object'],
    ['word', 5, 'text', 'the number 5'],
    ['word', true, 'text', 'the boolean true'],
    ['exact', { $gt: '' }, 'text', 'an object'],
    ['title', ['a'], 'text', 'an array'],
    ['badge', 5, UUID, 'the number 5'],
    ['token', Uint8Array.of(1), UUID, 'bytes'],
    ['day', true, INSTANT, 'the boolean true'],
    ['day', new Date(Number.NaN), INSTANT, 'an invalid Date'],
    ['moment', 1.5, INSTANT, 'the number 1.5'],
    ['birthday', {}, INSTANT, 'an object'],
    ['span', false, SPAN, 'the boolean false'],
    ['span', Number.NEGATIVE_INFINITY, SPAN, 'the number -Infinity'],
    ['flag', 'yes', BOOL, 'the text "yes"'],
    ['count', '', NUMBER, 'the text ""'],
    ['day', 'x', DATE, 'the text "x"'],
    ['span', 'x', SPAN, 'the text "x"'],
  ])('of %s is refused by the name of its placeholder', (name, given, expected, found) => {
    const problem = `"${name}" is compared with ${expected}, not with ${found}.`
    for (const rest of ['=', '!=', '>', '<=', '===', 'in [@,']) {
      const filter = `${name} ${rest} :what${rest.startsWith('in') ? ']' : ''}`
      const error = refusalOf(() => bind(filter, { what: given }))
      expect([error.code, error.details]).toMatchObject([
        'filterCannotBeAnalysed',
        { filter, offset: filter.indexOf(':') },
      ])
      expect(error.message).toContain(problem)
      expect(error.cause).toMatchObject({
        code: 'placeholderWrongType',
        details: { placeholder: ':what', problem },
      })
    }
    const inList = refusalOf(() => bind(`${name} in :1`, [[given]]))
    expect(inList.cause).toMatchObject({
      code: 'placeholderWrongType',
      details: { placeholder: ':1', problem },
    })
  })

  test.each<[unknown, string]>([
    [{ a: 1 }, 'an object'],
    [[1], 'an array'],
    [new Date(0), 'a Date'],
    [Number.NaN, 'a number that is NaN'],
    [Number.POSITIVE_INFINITY, 'the number Infinity'],
    [5n, 'a bigint'],
  ])('a property is not compared with %s', (given, found) => {
    for (const [text, name] of [
      ['notes.a = :1', 'notes.a'],
      ['notes.a.b > :1', 'notes.a.b'],
      ['notes.list[].x in [:1]', 'notes.list.x'],
      ['notes.list[a].x != :1', 'notes.list.x'],
      ['notes[].x = :1', 'notes.x'],
      ['notes.list.length = :1', 'notes.list.length'],
    ]) {
      const error = refusalOf(() => bind(text, [given]))
      expect(error.message, text).toContain(`"${name}" cannot be compared with ${found}.`)
      expect(error.cause).toMatchObject({ code: 'placeholderWrongType' })
    }
  })
})

describe('text that cannot be compared', () => {
  test.each(['word', 'exact', 'title'])(
    'of %s is true or false without quotes: the message shows the quotes',
    (name) => {
      for (const literal of ['true', 'false'])
        for (const filter of [
          `${name} = ${literal}`,
          `${name} begin ${literal}`,
          `${name} % ${literal}`,
          `${name} in [a, ${literal}]`,
        ]) {
          const error = refusalOf(() => bind(filter))
          const problem = `"${name}" is text: write '${literal}' in quotes.`
          expect([error.details, error.cause]).toEqual([
            { filter, offset: filter.indexOf(literal), problem },
            undefined,
          ])
        }
    },
  )

  test.each(['word', 'exact', 'title', 'badge', 'token', 'notes.a'])(
    'of %s holds a lone surrogate',
    (name) => {
      for (const half of ['\ud800', '\udfff', 'a\udc00b', '\ud83dx']) {
        for (const filter of [
          `${name} = '${half}'`,
          `${name} begin ${half}`,
          `${name} in ["x@", '${half}']`,
        ]) {
          const error = refusalOf(() => bind(filter))
          expect(error.details).toMatchObject({
            problem: 'the text holds half of a character (a lone surrogate).',
          })
        }
        expect(refusalOf(() => bind(`${name} = :1`, [half])).message).toContain(
          'half of a character',
        )
        expect(refusalOf(() => bind(`${name} in :1`, [[half]])).message).toContain(
          'half of a character',
        )
      }
    },
  )

  test('is a keyword of a UUID', () => {
    for (const name of ['badge', 'token', 'boxCode'])
      for (const filter of [`${name} % 'abc'`, `${name} %% abc`, `${name} % :1`]) {
        const error = refusalOf(() => bind(filter, ['abc']))
        expect(error.details).toEqual({
          filter,
          offset: filter.lastIndexOf('%') + 2,
          problem: `"${name}" does not hold words: use = and a wildcard.`,
        })
      }
  })

  test.each([
    'flag',
    'isOld',
    'count',
    'sum',
    'large',
    'amount',
    'day',
    'birthday',
    'moment',
    'instant',
    'span',
  ])('begins no value of %s and is no word of it', (name) => {
    for (const operator of ['begin', '%', '%%'])
      for (const value of ['5', "'5'", ':1']) {
        const filter = `${name} ${operator} ${value}`
        const error = refusalOf(() => bind(filter, ['5']))
        expect(error.details).toEqual({
          filter,
          offset: filter.length - value.length,
          problem: `"${name}" is not text: use =, !=, >, >=, <, <= or in.`,
        })
      }
  })

  test('is not a prefix of a property compared with a number', () => {
    for (const filter of ['notes.a begin 5', 'notes.a % true', 'notes.a begin :1'])
      expect(refusalOf(() => bind(filter, [5])).message).toContain('"notes.a" is not text: use =')
  })
})

describe('attributes without comparisons', () => {
  test.each([
    ['notes', 'Compare a property of it, as in "notes.property".'],
    ['shape', 'Compare a property of it, as in "shape.property".'],
    ['extra', 'Compare a property of it, as in "extra.property".'],
    ['picture', 'Compare it with null only.'],
    ['icon', 'Compare it with null only.'],
    ['bytes', 'Compare it with null only.'],
  ])('%s is refused with a remedy', (name, remedy) => {
    for (const rest of [
      '= 5',
      "!= 'x'",
      '> 5',
      'begin x',
      '% x',
      'in [5]',
      'in []',
      '= :1',
      'in :1',
      'in [:1]',
    ]) {
      const filter = `${name} ${rest}`
      const error = refusalOf(() => bind(filter, [5]))
      const offset = filter.length - (rest.split(' ')[1] ?? '').length
      expect(error.details).toMatchObject({ filter, offset })
      expect(error.cause).toMatchObject({
        code: 'attributeNotApplicable',
        details: { dataClass: 'Thing', attribute: name, use: 'a comparison', remedy },
      })
    }
  })

  test.each(['count', 'word', 'notes', 'picture', 'shape', 'title', 'owner', 'parts', 'ID'])(
    '%s is not a boolean and cannot stand alone',
    (name) => {
      for (const [filter, offset] of [
        [name, 0],
        [`not (${name})`, 5],
        [`flag and ${name}`, 9],
        [`owner.${name}`, 0],
      ] as const) {
        const error = refusalOf(() => bind(filter))
        const problem = `"${name}" is not a boolean and cannot stand alone. Compare it with a value.`
        expect(error.details).toEqual({ filter, offset, problem })
      }
    },
  )
})

describe('a list', () => {
  test('with null in it is refused at the null', () => {
    for (const filter of [
      'count in [1, null]',
      'word in [null]',
      'notes.a in [NULL, 1]',
      'badge in [@, null]',
    ]) {
      const error = refusalOf(() => bind(filter))
      expect(error.details).toEqual({
        filter,
        offset: filter.toLowerCase().indexOf('null'),
        problem: 'a list cannot hold null: add "or … = null".',
      })
    }
  })

  test('with null or undefined as a given item is refused', () => {
    for (const item of [null, undefined])
      for (const name of ['count', 'word', 'notes.a'])
        expect(refusalOf(() => bind(`${name} in :list`, { list: [1, item] }))).toMatchObject({
          code: 'placeholderMissing',
          details: {
            placeholder: ':list',
            problem: 'its list holds null. Add "or … = null" to the filter instead.',
          },
        })
    expect(refusalOf(() => bind('count in [1, :1]', [null]))).toMatchObject({
      code: 'placeholderMissing',
      details: {
        placeholder: ':1',
        problem: expect.stringContaining('Write null in the filter itself') as string,
      },
    })
  })

  test.each<[unknown, string]>([
    [7, 'the number 7'],
    ['abc', 'the text "abc"'],
    [{ 0: 'a', length: 1 }, 'an object'],
    [new Set([1]), 'an object of class Set'],
    [true, 'the boolean true'],
  ])('is needed, and %s is not one', (given, found) => {
    for (const name of ['count', 'word', 'notes.a', 'notes.l[a].x']) {
      const filter = `flag and ${name} in :1`
      const error = refusalOf(() => bind(filter, [given]))
      expect(error.details).toMatchObject({ offset: filter.indexOf(':') })
      expect(error.cause).toMatchObject({
        code: 'placeholderWrongType',
        details: { placeholder: ':1', problem: `"in" needs an array, not ${found}.` },
      })
    }
  })

  test('that is too long is refused, and one of exactly as many values is not', () => {
    const limits = { ...DEFAULT_FILTER_LIMITS, maxListItems: 2 }
    const asked = (items: readonly number[]) =>
      prepareFilter('count in :1', thing, { limits }).bind([items])
    asked([1, 2])
    expect(refusalOf(() => asked([1, 2, 3])).details).toEqual({
      what: 'values in a list',
      limit: 2,
      option: 'maxListItems',
    })
  })
})

test('patterns have limits of their own, which other texts do not have', () => {
  const limits = { ...DEFAULT_FILTER_LIMITS, maxPatternLength: 5, maxWildcards: 2 }
  const asked = (text: string, given: unknown = '') => {
    try {
      prepareFilter(text, thing, { limits }).bind(used(text, [given]))
      return 'answered'
    } catch (error) {
      return isEntiaError(error) ? JSON.stringify(error.details) : String(error)
    }
  }
  const tooLong = JSON.stringify({
    what: 'characters in a text with wildcards',
    limit: 5,
    option: 'maxPatternLength',
  })
  const tooMany = JSON.stringify({ what: 'wildcards', limit: 2, option: 'maxWildcards' })
  for (const name of ['word', 'exact', 'title', 'notes.a']) {
    for (const text of ['abcdefgh', 'abcd@', '@abcd', '@a@', 'a@b@', '@a@b', 'a@b@c', '@@a**'])
      for (const filter of [`${name} = '${text}'`, `${name} in ['${text}']`, `${name} = :1`])
        expect(asked(filter, text), filter).toBe('answered')
    expect(asked(`${name} === 'abcdefg@@a@b@'`)).toBe('answered')
    for (const filter of [`${name} != 'abcde@'`, `${name} in [a, '@abcde']`])
      expect(asked(filter)).toBe(tooLong)
    expect(asked(`${name} in :1`, ['abcde@'])).toBe(tooLong)
    for (const text of ['@a@b@', 'a@b@c@', '@a@bc']) {
      const isMore = text !== '@a@bc'
      expect(asked(`${name} = '${text}'`)).toBe(
        isMore ? (text.length > 5 ? tooLong : tooMany) : 'answered',
      )
    }
  }
  expect(asked("badge = '01-23@'")).toBe(tooLong)
})
