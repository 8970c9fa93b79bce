import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { describePredicate } from '../../src/filter/predicate.ts'
import { offsetOf, refusalOf } from './refusal.ts'
import { employee } from './staff-catalog.ts'

const shown = (text: string, parameters?: FilterParameters) =>
  describePredicate(prepareFilter(text, employee).bind(parameters).predicate)

describe('placeholders', () => {
  test.each<[string, FilterParameters, string]>([
    ['age = :1 and lastName = :2', [7, 'x'], "age = 7 and lastName = 'x'"],
    ['age = :2', [undefined, 8], 'age = 8'],
    ['age = :userId', { userId: 3, other: undefined }, 'age = 3'],
    ['lastName = :extraInfo.name', { extraInfo: { name: 'x' } }, "lastName = 'x'"],
    [
      'age = :userId and lastName = :1',
      { parameters: { userId: 3 }, values: ['x'] },
      "age = 3 and lastName = 'x'",
    ],
    [
      ':att = :value',
      { attributes: { att: 'lastName' }, parameters: { value: 'x' } },
      "lastName = 'x'",
    ],
    ['age in :values', { values: [1, 2] }, 'age in [1, 2]'],
    ['age in :parameters.list', { parameters: { list: [1] } }, 'age in [1]'],
    [':1 = 1234 and :2 = Smith', ['age', 'lastName'], "age = 1234 and lastName = 'Smith'"],
    [':1 = :2', ['employer.city', 'Paris'], "employer.city = 'Paris'"],
    [':1 > 3', ['notes.list[a].x'], 'notes.list[].x > 3'],
    [':1 > 3', [['notes', 'a.b', 'c[]']], 'notes.a.b.c[] > 3'],
    [':1', ['active'], 'active = true'],
    ['lastName = :1', ["x' or active = true"], "lastName = 'x\\u0027 or active = true'"],
  ])('%s with %j', (text, parameters, expected) => {
    expect(shown(text, parameters)).toBe(expected)
  })

  test('a list of names is a path', () => {
    const { predicate } = prepareFilter(':1 > 3', employee).bind([['notes', 'a.b']])
    expect(predicate).toMatchObject({ match: { path: ['a.b'] } })
  })

  test.each<[string, FilterParameters | undefined]>([
    ['age = :1', undefined],
    ['age = :1', []],
    ['age = :2', [1]],
    ['age = :0', [1]],
    ['age = :-1', [1]],
    ['age = :99999999999999999999', [1]],
    ['age = :1', [null]],
    ['age = :1', { 1: 5 }],
    ['age = :name', [1]],
    ['age = :name', {}],
    ['age = :name', { name: null }],
    ['age = :a.b', { a: 5 }],
    ['age = :__proto__', {}],
    ['age = :constructor', {}],
    ['age = :a.constructor.name', { a: {} }],
    ['age = :length', [1]],
    ['age in [:1, :2]', [1]],
    ['age in :1', [[1, null]]],
    [':1 = 5', []],
  ])('%s with %j is missing', (text, parameters) => {
    const prepared = prepareFilter(text, employee)
    expect(refusalOf(() => prepared.bind(parameters))).toMatchObject({
      code: 'placeholderMissing',
      errCode: 1279,
    })
  })

  test.each<[string, unknown]>([
    ['active and :1 = 5', 5],
    ['active and :1 = 5', 'age or active'],
    ['active and :1 = 5', "age = 5 or 'x'"],
    ['active and :1 = 5', 'nosuch'],
    ['active and :1 = 5', '__proto__'],
    ['active and :1 = 5', ''],
    ['active and :1 = 5', []],
    ['active and :1 = 5', ['age', 5]],
    ['active and :1 = 5', Array.from({ length: 9 }, () => 'boss')],
    ['active and :1 = 5', 'boss.boss.boss.boss.boss.boss.boss.boss.age'],
  ])('%s with %j is not an attribute', (text, given) => {
    const prepared = prepareFilter(text, employee)
    const error = refusalOf(() => prepared.bind([given]))
    expect([error.code, offsetOf(error)]).toEqual(['filterCannotBeAnalysed', 11])
  })
})
