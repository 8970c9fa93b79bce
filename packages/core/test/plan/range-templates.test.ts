import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { StorageAttribute } from '../../src/model/catalog.ts'
import type { IndexRanges } from '../../src/plan/key-range.ts'
import { exactSought } from '../../src/plan/physical-plan.ts'
import { planQuery, planRange } from '../../src/plan/plan-query.ts'
import { type RangeFilter, rangeTemplate } from '../../src/plan/range-filter.ts'
import { rewrite } from '../../src/plan/rewrite.ts'
import { employee } from '../filter/staff-catalog.ts'
import { lineOf, statisticsOf } from './counts.ts'

const templateOf = (text: string) => rangeTemplate(prepareFilter(text, employee))
const bound = (text: string, values: readonly unknown[]): RangeFilter | null =>
  templateOf(text)?.bind(values as never) ?? null
/** The result of binding the filter like any other. */
const rangesOf = (text: string, values: readonly unknown[]): IndexRanges | null => {
  const { predicate } = prepareFilter(text, employee).bind(values as never)
  const attribute = templateOf(text)?.attribute as StorageAttribute
  return exactSought(attribute, rewrite(predicate)) as IndexRanges | null
}

const NUMERIC = ['age', 'salary', 'shift', 'seen', 'hired']
const ORDERED = ['<', '<=', '>', '>=']
const EQUAL = ['=', '===']

describe('a comparison with a placeholder', () => {
  test.each<[attribute: string, operators: readonly string[]]>([
    ...NUMERIC.map((name): [string, string[]] => [name, [...EQUAL, ...ORDERED]]),
    ['active', EQUAL],
    ['lastName', [...EQUAL, 'begin']],
    ['email', [...EQUAL, 'begin']],
    ['badge', []],
    ['notes.a', []],
    ['photo', []],
    ['fullName', []],
    ['employerName', []],
    ['employer.name', []],
  ])('of %s is a range with the operators %j only', (attribute, operators) => {
    const asked = [...EQUAL, ...ORDERED, 'begin', '!=', '!==', '%', 'in'].filter((operator) => {
      try {
        return templateOf(`${attribute} ${operator} :1`) !== null
      } catch {
        return false
      }
    })
    expect(asked).toEqual(
      [...EQUAL, ...ORDERED, 'begin'].filter((operator) => operators.includes(operator)),
    )
  })

  test('of 64-bit whole numbers is a range too', () => {
    const Part = defineDataClass('Part', {
      ID: attribute.long({ key: true }),
      serial: attribute.long64(),
    })
    const part = buildCatalog({ name: 'parts', dataClasses: [Part] }).classes[0]
    const filter = rangeTemplate(prepareFilter('serial >= :1', part))?.bind([2 ** 40])
    expect(filter?.ranges).toMatchObject({ kind: 'number', ranges: [{ low: 2 ** 40 }] })
  })

  test('is a range with the first four positions, in any order', () => {
    const parts = [1, 2, 3, 4].map((position) => `age >= :${position}`)
    for (const count of [1, 2, 3, 4])
      expect(templateOf(parts.slice(0, count).reverse().join(' and ')), `${count}`).not.toBe(null)
    expect(templateOf([...parts, 'age >= :5'].join(' and '))).toBe(null)
    for (const position of ['age', 'name1'])
      expect(templateOf(`age = :${position}`), position).toBe(null)
    expect(bound('age >= :2 and age < :1', [9, 5])?.ranges).toEqual(
      rangesOf('age >= :1 and age < :2', [5, 9]),
    )
  })

  test('is not a range if it leaves a position out: a value there is refused', () => {
    for (const text of ['age = :2', 'age = :5', 'age >= :4 and age < :2']) {
      expect(templateOf(text)).toBe(null)
      expect(() => rangesOf(text, [1, 2, 3, 4, 5])).toThrow('No filter uses parameter 1.')
    }
    expect(bound('age = :1', [1, 2])).toBe(null)
    expect(bound('age = :1', [1, undefined])).toBe(null)
  })

  test.each([
    'age = 1',
    'age > 1 and age < 5',
    'age = :1 or age = :2',
    'not (age = :1)',
    'age = :1 and salary = :1',
    'age = :1 and not (age = :2)',
    'age = :1 and notes.a = :2',
    'age >= :1 and age < :name',
    'age >= :1 and age < :5',
    'age = :1 and employer.name = :2',
    'age = :1 and fullName = :2',
    'age > :1 and age != 5',
    'age > :1 and age in [5]',
    'age > :1 and age = null',
    "lastName = :1 and lastName begin 'a'",
    'lastName begin :1 and lastName begin :2',
    "lastName = :1 and lastName = 'a'",
    'active = :1 and lastName = :2',
    ':1 = 5',
    '',
  ])('is not a range in "%s"', (text) => {
    expect(templateOf(text)).toBe(null)
  })
})

describe('a range filter with its values', () => {
  const NUMBERS = [-3, 2.5, 7]
  const TEXTS = [...EQUAL, ...ORDERED].flatMap((first) => [
    `age ${first} :1`,
    `salary ${first} :1 and salary <= 7`,
    ...['=', '<', '>='].map((second) => `salary ${first} :1 and salary ${second} :2`),
    `salary > 1 and salary ${first} :2 and salary <= :1`,
  ])

  test('has the ranges and the predicate of the bound filter', () => {
    for (const text of TEXTS)
      for (const first of NUMBERS)
        for (const second of NUMBERS) {
          const values = text.includes(':2') ? [first, second] : [first]
          const filter = bound(text, values)
          const expected = rangesOf(text, values) as IndexRanges
          const said = `${text} with ${first}, ${second}`
          // Empty ranges are left out.
          const ranges = expected.ranges.filter(({ low, high }) => high === null || low <= high)
          expect(filter?.ranges, said).toEqual({ ...expected, ranges })
          expect(filter?.predicate).toEqual(
            rewrite(prepareFilter(text, employee).bind(values).predicate),
          )
        }
  })

  test.each<[text: string, value: unknown]>([
    ['active = :1', true],
    ['active = :1', false],
    ['hired = :1', '2024-02-29'],
    ['hired < :1', '1969-12-31'],
    ['seen >= :1', '2024-02-29T12:30:00.000Z'],
    ['seen = :1', 0],
    ['shift <= :1', 60_000],
    ['lastName = :1', 'SmITh'],
    ['lastName begin :1', 'SM'],
    ['email = :1', 'Ann'],
    ['email begin :1', 'An'],
  ])('of %s with %j has them too', (text, value) => {
    expect(bound(text, [value])?.ranges).toEqual(rangesOf(text, [value]))
  })

  test.each<[text: string, values: readonly unknown[]]>([
    ['age = :1', ['7']],
    ['age = :1', [null]],
    ['age = :1', []],
    ['age = :1', [Number.NaN]],
    ['age = :1', [Number.POSITIVE_INFINITY]],
    ['age = :1', [true]],
    ['age >= :1 and age <= :2', [1]],
    ['age >= :1 and age <= :2', [1, '2']],
    ['age >= :1 and age <= :2', ['1', 2]],
    ['age >= :2', [1]],
    ['active = :1', [1]],
    ['active = :1', ['true']],
    ['hired = :1', ['no day']],
    ['lastName = :1', ['']],
    ['lastName = :1', ['a@']],
    ['lastName = :1', ['é']],
    ['lastName = :1', [7]],
    ['lastName begin :1', [null]],
  ])('is bound like any other if a value is not plain: %s with %j', (text, values) => {
    expect(bound(text, values)).toBe(null)
  })

  test('is bound like any other if values have names, or are missing', () => {
    for (const values of [{ 1: 7 }, undefined, null, 7])
      expect(templateOf('age = :1')?.bind(values as never)).toBe(null)
  })

  test('keeps its values when the given list changes, and when the next query reads others', () => {
    const template = templateOf('age >= :1 and age <= :2')
    const values = [1, 3]
    const filter = template?.bind(values)
    values[0] = 100
    template?.bind([5, 6])
    expect(filter?.ranges).toEqual(rangesOf('age >= :1 and age <= :2', [1, 3]))
    expect(filter?.predicate).toBe(filter?.predicate)
  })

  test('has its text, dataclass and order, and whether it is on texts or a single value', () => {
    const filter = bound('age = :1 order by salary desc', [7])
    expect(filter?.text).toBe('age = :1 order by salary desc')
    expect(filter?.dataClass).toBe(employee)
    expect(filter?.orderBy).toMatchObject([{ attribute: { name: 'salary' }, descending: true }])
    const [point, range, text, begin] = [
      'age = :1',
      'age > :1',
      'lastName = :1',
      'lastName begin :1',
    ].map(templateOf)
    expect([point?.isPoint, range?.isPoint, text?.isPoint, begin?.isPoint]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect([point?.isText, range?.isText, text?.isText, begin?.isText]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(templateOf('age > :1 and age = :2')?.isPoint).toBe(true)
  })
})

describe('the plan of a range filter', () => {
  const plans = (text: string, values: readonly unknown[], rows: number | null) => {
    const counts = statisticsOf(
      rows === null ? {} : { found: { 'Employee.age': rows, 'Employee.lastName': rows } },
    )
    const filter = bound(text, values) as RangeFilter
    return [planRange(filter, counts), planQuery(employee, filter.predicate, counts)] as const
  }

  test.each<[text: string, values: readonly unknown[]]>([
    ['age = :1', [7]],
    ['age > :1', [7]],
    ['age >= :1 and age < :2', [2, 7]],
    ['lastName = :1', ['Smith']],
    ['lastName begin :1', ['Sm']],
  ])('of %s with %j is the plan of its predicate, for any number of rows', (text, values) => {
    for (const rows of [0, 1, 300, 2400, 2500, 10_000]) {
      const [plan, whole] = plans(text, values, rows)
      expect(plan === null ? null : lineOf(plan)).toBe(lineOf(whole))
      expect(plan).toMatchObject({ rows, isExact: true, cost: whole.cost, kind: 'index' })
      expect(plan?.ranges).toEqual(bound(text, values)?.ranges)
    }
  })

  test('is null if no index answers', () => {
    expect(plans('age = :1', [7], null)[0]).toBe(null)
    expect(plans('lastName = :1', ['x'], null)[0]).toBe(null)
  })
})
