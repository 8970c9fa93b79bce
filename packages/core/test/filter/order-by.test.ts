import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { bindOrderBy } from '../../src/filter/bind-order-by.ts'
import { describeOrderBy } from '../../src/filter/predicate.ts'
import { offsetOf, refusalOf } from './refusal.ts'
import { employee } from './staff-catalog.ts'

describe('orders', () => {
  test.each([
    ['lastName', 'lastName'],
    ['salary DESC,lastName ASC,firstName', 'salary desc, lastName, firstName'],
    [' employer.name   desc , boss.boss.age ', 'employer.name desc, boss.boss.age'],
    ['employerName, fullName desc', 'employer.name, fullName desc'],
    ['notes.a.b desc', 'notes.a.b desc'],
    ['employer.ID', 'employer.ID'],
  ])('%s', (text, expected) => {
    expect(describeOrderBy(bindOrderBy(text, employee))).toBe(expected)
  })

  test.each([
    ['', 0],
    ['age SIDEWAYS', 4],
    ['age ASC DESC', 8],
    ['age,,salary', 4],
    [',age', 0],
    ['age; DROP', 3],
    ['age desc,', 9],
    [':1', 0],
    ['notes.l[].x', 6],
    ['boss{2}.age', 0],
  ])('"%s" is malformed', (text, offset) => {
    const error = refusalOf(() => bindOrderBy(text, employee))
    expect([error.code, error.errCode, offsetOf(error)]).toEqual(['orderBySyntax', 1810, offset])
  })

  test.each([
    ['nosuch', 'Employee', 'nosuch'],
    ['age, employer.nosuch desc', 'Company', 'nosuch'],
    ['age.length', 'Employee', 'age.length'],
    ['__proto__', 'Employee', '__proto__'],
    ['constructor DESC', 'Employee', 'constructor'],
  ])('"%s" names an unknown attribute', (text, dataClass, attribute) => {
    expect(refusalOf(() => bindOrderBy(text, employee))).toMatchObject({
      code: 'attributeNotFound',
      details: { dataClass, attribute },
    })
  })

  test.each(['employer', 'team', 'team.age', 'employer.staff.age', 'photo', 'notes'])(
    'nothing is sorted by %s',
    (text) => {
      expect(refusalOf(() => bindOrderBy(text, employee))).toMatchObject({
        code: 'attributeNotSortable',
        errCode: 1594,
      })
      expect(refusalOf(() => prepareFilter(`active order by ${text}`, employee))).toMatchObject({
        code: 'filterCannotBeAnalysed',
        details: { offset: 16 },
        cause: { code: 'attributeNotSortable' },
      })
    },
  )
})
