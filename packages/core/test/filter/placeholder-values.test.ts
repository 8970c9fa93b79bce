import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { DEFAULT_FILTER_LIMITS } from '../../src/filter/filter-errors.ts'
import { readAttributeParameter, readParameter } from '../../src/filter/parameters.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import type { PlaceholderSyntax } from '../../src/filter/syntax.ts'
import { thing } from './kinds-catalog.ts'
import { offsetOf, refusalOf } from './refusal.ts'

const placeholder = (name: string): PlaceholderSyntax => {
  const { condition } = parseFilter(`a = :${name}`)
  if (condition?.kind !== 'comparison' || condition.value.kind !== 'placeholder')
    throw new Error(name)
  return condition.value
}

const NOT_GIVEN = 'none was given. Give a value for each placeholder of the filter.'
const NULL = 'null was given. Write null in the filter itself, as in "attribute = null".'

/** Returns the value read, or the problem of the error. */
function readBy(read: typeof readParameter, parameters: unknown, name: string): unknown {
  try {
    return read(parameters as readonly unknown[], placeholder(name))
  } catch (error) {
    if (!isEntiaError(error) || error.code !== 'placeholderMissing') throw error
    const { details } = error as {
      readonly details: { readonly placeholder?: string; readonly problem?: string }
    }
    expect(details.placeholder).toBe(`:${name}`)
    return details.problem
  }
}

describe('the value of a placeholder', () => {
  test.each<[string, unknown, unknown]>([
    // By position.
    ['1', [7], 7],
    ['2', [7, 8], 8],
    ['02', [7, 8], 8],
    ['1', { values: [7] }, 7],
    ['2', { values: [7, 8], parameters: {} }, 8],
    ['1', [false], false],
    ['1', [0], 0],
    ['1', [''], ''],
    ['0', [7], NOT_GIVEN],
    ['2', [7], NOT_GIVEN],
    ['1', [], NOT_GIVEN],
    ['1', [undefined], NOT_GIVEN],
    ['1', [null], NULL],
    ['1', undefined, NOT_GIVEN],
    ['1', null, NOT_GIVEN],
    ['1', {}, NOT_GIVEN],
    ['1', { 1: 7 }, NOT_GIVEN],
    ['1', { values: 7 }, NOT_GIVEN],
    ['1', { values: { 0: 7 } }, NOT_GIVEN],
    ['1', { values: [null] }, NULL],
    ['1', { values: [7], other: 1 }, NOT_GIVEN],
    ['1', { attributes: ['count'] }, NOT_GIVEN],
    ['1', { parameters: [7] }, NOT_GIVEN],
    // By name.
    ['a', { a: 7 }, 7],
    ['a', { parameters: { a: 7 } }, 7],
    ['a', { parameters: { a: 7 }, values: [1], attributes: {} }, 7],
    ['a', { parameters: { a: 7 }, other: 1 }, NOT_GIVEN],
    ['a', { values: [7] }, NOT_GIVEN],
    ['a', { attributes: { a: 'x' } }, NOT_GIVEN],
    ['a', [7], NOT_GIVEN],
    ['length', [7], NOT_GIVEN],
    ['a', { a: null }, NULL],
    ['a', { a: undefined }, NOT_GIVEN],
    ['a', {}, NOT_GIVEN],
    ['a', undefined, NOT_GIVEN],
    ['1a', { '1a': 7 }, 7],
    ['a1', { a1: 7 }, 7],
    // By a path of names.
    ['a.b', { a: { b: 7 } }, 7],
    ['a.b.c', { a: { b: { c: 7 } } }, 7],
    ['a.1', { a: [8, 7] }, 7],
    ['1.a', { 1: { a: 7 } }, 7],
    ['a.b', { parameters: { a: { b: 7 } } }, 7],
    ['a.b', { 'a.b': 7 }, NOT_GIVEN],
    ['a.b', { a: null }, NOT_GIVEN],
    ['a.b', { a: 'text' }, NOT_GIVEN],
    ['a.length', { a: 'text' }, NOT_GIVEN],
    ['a.b', { a: {} }, NOT_GIVEN],
    ['a.b', { a: { b: null } }, NULL],
    ['a.b.c', { a: {} }, NOT_GIVEN],
    // A placeholder may be called like a part of the long form.
    ['values', { values: 7 }, 7],
    ['parameters', { parameters: 7 }, 7],
    ['attributes', { attributes: 7 }, 7],
    ['values.a', { values: { a: 7 } }, 7],
    ['parameters.a', { parameters: { a: 7 } }, 7],
    ['parameters.parameters', { parameters: { parameters: 7 } }, 7],
    // Own properties only.
    ['toString', {}, NOT_GIVEN],
    ['constructor', {}, NOT_GIVEN],
    ['__proto__', {}, NOT_GIVEN],
    ['a.constructor', { a: {} }, NOT_GIVEN],
    ['a', Object.create({ a: 7 }), NOT_GIVEN],
    ['a', Object.create(null, { a: { value: 7, enumerable: true } }), 7],
    ['a', { parameters: Object.create({ a: 7 }) as object }, NOT_GIVEN],
  ])(':%s in %j', (name, parameters, expected) => {
    expect(readBy(readParameter, parameters, name)).toEqual(expected)
  })

  test.each(['text', 5, false])('%j holds no values', (parameters) => {
    const read = () => readParameter(parameters as never, placeholder('1'))
    expect(refusalOf(read).code).toBe('argumentInvalid')
  })

  test.each<[string, unknown, unknown]>([
    ['1', ['count'], 'count'],
    ['1', { attributes: ['count'] }, 'count'],
    ['1', { attributes: ['count'], values: ['flag'] }, 'count'],
    ['1', { values: ['flag'] }, 'flag'],
    ['1', { attributes: [], values: ['flag'] }, 'flag'],
    ['2', { attributes: ['count'], values: ['flag', 'word'] }, 'word'],
    ['1', { attributes: 'count' }, NOT_GIVEN],
    ['1', { attributes: ['count'], other: 1 }, NOT_GIVEN],
    ['a', { a: 'count' }, 'count'],
    ['a', { attributes: { a: 'count' } }, 'count'],
    ['a', { attributes: { a: 'count' }, parameters: { a: 'flag' } }, 'count'],
    ['a', { parameters: { a: 'flag' } }, 'flag'],
    ['a.b', { attributes: { a: { b: 'count' } } }, 'count'],
    ['a', { attributes: { a: null }, parameters: { a: 'flag' } }, 'flag'],
    ['a', { attributes: { a: null } }, NOT_GIVEN],
    ['a', { attributes: { a: 'count' }, other: 1 }, NOT_GIVEN],
    ['attributes', { attributes: 'count' }, 'count'],
    ['a', undefined, NOT_GIVEN],
    ['1', [null], NULL],
  ])(':%s in %j, for an attribute', (name, parameters, expected) => {
    expect(readBy(readAttributeParameter, parameters, name)).toEqual(expected)
  })

  test('has a position where it is digits only', () => {
    for (const name of ['1', '12', '007', '99999999999999999999'])
      expect(placeholder(name).position).toBe(Number(name))
    for (const name of ['a', 'a1', '1a', '1.2', '-1', '1-', '١'])
      expect(placeholder(name).position).toBeNull()
  })
})

describe('a placeholder for an attribute', () => {
  const bound = (text: string, given: unknown) => prepareFilter(text, thing).bind([given]).predicate
  const PATH = 'it stands for an attribute: give its path.'

  test.each<[unknown, string, string | null]>([
    ['a..b', PATH, 'filterSyntax'],
    ['count = 1', PATH, 'filterSyntax'],
    ['', PATH, 'filterSyntax'],
    ['a b', PATH, 'filterSyntax'],
    ['not', PATH, 'filterSyntax'],
    [':1', PATH, 'filterSyntax'],
    ['a.b.c.d.e.f.g.h.i', PATH, 'filterTooLarge'],
    [7, 'it stands for an attribute: give a path, not the number 7.', null],
    [true, 'it stands for an attribute: give a path, not the boolean true.', null],
    [{}, 'it stands for an attribute: give a path, not an object.', null],
    [[], 'it stands for an attribute: give a path, not an array.', null],
    [[7], 'it stands for an attribute: give a path, not an array.', null],
    [['owner', null], 'it stands for an attribute: give a path, not an array.', null],
    [['owner', ''], 'it stands for an attribute: give a path, not an array.', null],
    [[''], 'it stands for an attribute: give a path, not an array.', null],
    [Array.from({ length: 9 }, () => 'owner'), 'the path has too many names.', null],
  ])('given %j is refused by its name', (given, problem, cause) => {
    for (const [text, at] of [
      [':1 = 7', 0],
      ['flag and not :1', 13],
    ] as const) {
      const error = refusalOf(() => bound(text, given))
      expect([error.code, offsetOf(error)]).toEqual(['filterCannotBeAnalysed', at])
      expect(error.message).toContain(problem)
      expect(error.cause).toMatchObject({
        code: 'placeholderWrongType',
        details: { placeholder: ':1', problem },
      })
      const { cause: wrongType } = error as { readonly cause: Error }
      if (cause === null) expect(Object.hasOwn(wrongType, 'cause')).toBe(false)
      else expect(wrongType.cause).toMatchObject({ code: cause })
    }
  })

  test('may be a path, or a list of names', () => {
    for (const [given, text] of [
      ['count', 'count = 7'],
      ['owner.count', 'owner.count = 7'],
      [['owner', 'count'], 'owner.count = 7'],
      [['count'], 'count = 7'],
      ['parts{2}.count', 'parts{2}.count = 7'],
      ['notes.l[a].x', 'notes.l[a].x = 7'],
      [[...Array.from({ length: 7 }, () => 'owner'), 'count'], `${'owner.'.repeat(7)}count = 7`],
    ] as const)
      expect(bound(':1 = 7', given)).toEqual(prepareFilter(text, thing).bind().predicate)
    const { match } = bound(':1 = 7', ['notes', 'a.b', 'c[]', 'd{2}']) as unknown as {
      readonly match: object
    }
    expect(match).toMatchObject({ kind: 'value', path: ['a.b', 'c[]', 'd{2}'] })
    expect(refusalOf(() => bound(':1 = 7', ['parts{2}', 'count'])).cause).toMatchObject({
      code: 'attributeNotFound',
      details: { attribute: 'parts{2}' },
    })
  })

  test('is refused like the attribute, at the placeholder', () => {
    for (const [given, text, part] of [
      ['what', 'flag and :1 = 1', '"what" attribute cannot be found'],
      ['owner.what', 'flag and :1 = 1', '"what" attribute cannot be found'],
      ['word{2}', 'flag and :1 = 1', 'can stand behind a relation only'],
      ['count', 'flag and :1', 'is not a boolean'],
      ['owner', 'flag and :1 > 1', 'is a relation'],
    ] as const) {
      const error = refusalOf(() => bound(text, given))
      expect([error.message.includes(part), offsetOf(error)]).toEqual([true, 9])
    }
  })

  test('counts among the placeholders of its filter', () => {
    const limits = { ...DEFAULT_FILTER_LIMITS, maxPlaceholders: 2 }
    prepareFilter(':1 = :2 or :2 = :1 or :1', thing, { limits })
    for (const text of [
      ':1 = :2 or :3',
      'count in [:1, :2, :3]',
      'not :1 except :2 = :3',
      'count = :a and flag and count in :b or count = :c',
    ])
      expect(refusalOf(() => prepareFilter(text, thing, { limits })).details).toEqual({
        what: 'placeholders',
        limit: 2,
        option: 'maxPlaceholders',
      })
  })
})
