import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { describePredicate } from '../../src/filter/predicate.ts'
import { offsetOf, refusalOf } from './refusal.ts'
import { employee } from './staff-catalog.ts'

const bound = (text: string, parameters?: unknown) =>
  prepareFilter(text, employee).bind(parameters as never)
const shown = (text: string, parameters?: unknown) =>
  describePredicate(bound(text, parameters).predicate)

describe('placeholders', () => {
  test.each<[text: string, parameters: object, expected: string]>([
    [':1 = 7', { attributes: ['age'] }, 'age = 7'],
    [':1 = :2', { attributes: ['age'], values: [0, 7] }, 'age = 7'],
    [':att = 7', { att: 'age' }, 'age = 7'],
    [':att.name = :att.value', { att: { name: 'age', value: 7 } }, 'age = 7'],
    ['age = :1', { values: [7] }, 'age = 7'],
  ])('of %s with %j are found', (text, parameters, expected) => {
    expect(shown(text, parameters)).toBe(expected)
  })

  test('for an attribute are refused with an unknown name', () => {
    for (const [value, problem] of [
      ['a..b', /give its path/],
      ['', /give/],
      [7, /give a path, not the number 7/],
      [[], /give a path/],
      [['age', ''], /give a path/],
      [Array.from({ length: 99 }, () => 'boss'), /too many names/],
    ] as const) {
      const error = refusalOf(() => bound(':1 = 7', [value]))
      expect([error.code, error.message]).toEqual([error.code, expect.stringMatching(problem)])
    }
  })

  test('with values that cannot be compared are refused at their places', () => {
    for (const text of ['notes = :1', 'photo = :1', 'age = :1', 'active = :1']) {
      const error = refusalOf(() => bound(text, [{ a: 1 }]))
      expect(offsetOf(error), text).toBe(text.indexOf(':1'))
    }
    expect(refusalOf(() => bound('photo = :1', [7])).code).toBe('filterCannotBeAnalysed')
    expect(refusalOf(() => bound('notes = :1', [true])).code).toBe('filterCannotBeAnalysed')
  })
})

describe('lists', () => {
  test('stand behind "in" and nowhere else', () => {
    expect(shown('age in [1, 2]')).toBe('age in [1, 2]')
    for (const text of ['age = [1, 2]', 'age > [1]', 'age in 3', "lastName in 'a'"]) {
      expect(refusalOf(() => bound(text)).code, text).toMatch(/^filter/)
    }
    expect(refusalOf(() => bound('age in :1', [7])).message).toMatch(
      /needs an array, not the number 7/,
    )
  })
})

test('comparisons of one element of a collection stay together', () => {
  expect(shown('notes.list[a].x = 1 and notes.list[a].y = 2')).toBe(
    'one of (notes.list[].x = 1 and notes.list[].y = 2)',
  )
  expect(shown('notes.list[a].x = 1')).toBe('notes.list[].x = 1')
  expect(shown('notes.list[].x != 1')).toMatch(/^not \(/)
})
