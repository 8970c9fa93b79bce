import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { codeOrDone, refusalOf } from './refusal.ts'
import { employee } from './staff-catalog.ts'

const bind = (text: string, parameters: unknown) =>
  prepareFilter(text, employee).bind(parameters as FilterParameters)

describe('a value that no placeholder uses', () => {
  const WRITE = (name: string): string => `Write :${name} where its value belongs, or remove it.`
  const QUOTED = (name: string): string =>
    `The filter has :${name} in quotes, where it is text: write it without quotes.`
  test.each<[string, unknown, string]>([
    ['age = 5', [1], `parameter 1. ${WRITE('1')}`],
    ['age = 5', ['x', null], `parameter 1. ${WRITE('1')}`],
    ['', [1], `parameter 1. ${WRITE('1')}`],
    ['order by age', [1], `parameter 1. ${WRITE('1')}`],
    ['age = :1', [1, 2], `parameter 2. ${WRITE('2')}`],
    ['age = :1', [1, null], `parameter 2. ${WRITE('2')}`],
    ['age = :2', [1, 2], `parameter 1. ${WRITE('1')}`],
    ['age = :1 and lastName = :3', [1, 2, 'x'], `parameter 2. ${WRITE('2')}`],
    ['age = :1 and lastName = :10', [1, ...Array(8), 'x', 'y'], `parameter 11. ${WRITE('11')}`],
    ['age = :10', ['x', ...Array(8), 1], `parameter 1. ${WRITE('1')}`],
    ["lastName = ':1'", ['x'], `parameter 1. ${QUOTED('1')}`],
    ["lastName = ':name'", { name: 'x' }, `the parameter "name". ${QUOTED('name')}`],
    ["age = :1 and lastName begin ':2 '", [1, 'x'], `parameter 2. ${QUOTED('2')}`],
    [':1 = 5', ['age', 5], `parameter 2. ${WRITE('2')}`],
    [':1', ['active', 5], `parameter 2. ${WRITE('2')}`],
    ['age = :userId', { userId: 3, other: 4 }, `the parameter "other". ${WRITE('other')}`],
    ['age = 5', { values: [1] }, `parameter 1. ${WRITE('1')}`],
    ['age = :a', { parameters: { a: 1, b: 2 } }, `the parameter "b". ${WRITE('b')}`],
    ['age = :a', { parameters: { a: 1 }, values: [1] }, `parameter 1. ${WRITE('1')}`],
    [
      'age = :a',
      { parameters: { a: 1 }, attributes: { c: 1 } },
      `the parameter "c". ${WRITE('c')}`,
    ],
    [
      'age = :values',
      { values: 1, parameters: 2 },
      `the parameter "parameters". ${WRITE('parameters')}`,
    ],
    ['age = 5', JSON.parse('{"__proto__":1}'), `the parameter "__proto__". ${WRITE('__proto__')}`],
  ])('of "%s" with %j is refused by its name', (text, parameters, said) => {
    const error = refusalOf(() => bind(text, parameters))
    expect([error.code, error.errCode, error.message]).toEqual([
      'parameterUnused',
      9021,
      `No filter uses ${said}`,
    ])
  })

  test.each<[string, unknown]>([
    ['age = 5', undefined],
    ['age = 5', null],
    ['age = 5', []],
    ['age = 5', {}],
    ['age = 5', [undefined]],
    ['age = 5', { a: undefined }],
    ['age = 5', { values: [], parameters: {} }],
    ['age = :1 or age = :1', [1]],
    ['age in [:2, :1]', [1, 2]],
    ['age = :02', [undefined, 2]],
    ['"age = :1" and \'age = :2\'', [1, 2]],
    ['age = :user.id', { user: { id: 3, name: 'x' } }],
    ['age = :a and age = :1', { parameters: { a: 1 }, values: [1] }],
    [':a = :b', { attributes: { a: 'age' }, parameters: { b: 1 } }],
    ['age = :1 order by age', [1]],
    ['age = :1 and age in []', [1]],
  ])('"%s" uses all of %j', (text, parameters) => {
    expect(codeOrDone(() => bind(text, parameters))).toBe('done')
  })

  test('is refused after a missing one, and is told from what cannot hold values', () => {
    expect(refusalOf(() => bind('age = :2', [1])).code).toBe('placeholderMissing')
    expect(refusalOf(() => bind('age = :id', { ID: 1 })).code).toBe('placeholderMissing')
    for (const filter of ['age = 5', 'age = :1', 'age = :id'])
      expect(refusalOf(() => bind(filter, 'x')).message).toContain(
        "an array such as ['Paris'], or an object of names, not the text",
      )
  })
})
