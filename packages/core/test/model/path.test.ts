import { describe, expect, test } from 'vitest'
import { findAttribute, MAX_PATH_STEPS, resolvePath } from '../../src/model/path.ts'
import { build, define, hr, key, make } from './loose-definitions.ts'

describe('paths', () => {
  const employee = () => hr().byName.get('Employee')!
  const shown = (path: string) => {
    const { steps, attribute, properties } = resolvePath(employee(), path)
    return [...steps, attribute]
      .map((part) => `${part.owner.name}.${part.name}`)
      .concat(properties)
      .join(' ')
  }

  test.each([
    ['name', 'Employee.name'],
    ['employer', 'Employee.employer'],
    ['employer.name', 'Employee.employer Company.name'],
    [
      'employer.employees.boss.loud',
      'Employee.employer Company.employees Employee.boss Employee.loud',
    ],
    ['employerCountry', 'Employee.employer Company.country Country.name'],
    ['boss.employerCountry', 'Employee.boss Employee.employer Company.country Country.name'],
    ['notes.__proto__', 'Employee.notes __proto__'],
  ])('%s', (path, expected) => {
    expect(shown(path)).toBe(expected)
  })
  test('only filters can name the elements of a collection', () => {
    expect(() => shown('notes.tags[].x')).toThrow(
      expect.objectContaining({ code: 'attributeNotApplicable' }),
    )
  })

  test.each([
    'nope',
    'employer.nope',
    'constructor',
    '__proto__',
    'toString',
    'employer.__proto__',
    '',
    '.',
    'employer.',
    'notes.',
    'key',
    'stamp',
  ])('"%s" is not found', (path) => {
    expect(() => resolvePath(employee(), path)).toThrow(
      expect.objectContaining({ code: 'attributeNotFound' }),
    )
  })

  test('a path cannot continue after a plain value', () => {
    expect(() => resolvePath(employee(), 'name.length')).toThrow(
      expect.objectContaining({ code: 'attributeNotApplicable' }),
    )
  })

  test('the number of steps is bounded', () => {
    const through = (steps: number) => `${'boss.'.repeat(steps)}name`
    expect(resolvePath(employee(), through(MAX_PATH_STEPS)).steps).toHaveLength(MAX_PATH_STEPS)
    for (const steps of [MAX_PATH_STEPS + 1, 100_000])
      expect(() => resolvePath(employee(), through(steps))).toThrow(
        expect.objectContaining({ code: 'budgetExceeded' }),
      )
    const alias = `${'boss.'.repeat(MAX_PATH_STEPS - 1)}employerCountry`
    expect(() => resolvePath(employee(), alias)).toThrow(
      expect.objectContaining({ code: 'budgetExceeded' }),
    )
  })

  test('a hidden attribute is found, but messages do not name it', () => {
    const { byName } = build(define('A', { ID: key, secret: make.string({ exposed: false }) }))
    const dataClass = byName.get('A')!
    expect(findAttribute(dataClass, 'secret')!.name).toBe('secret')
    expect(() => resolvePath(dataClass, 'nope')).toThrow(
      expect.not.objectContaining({ message: /secret/ }),
    )
  })
})
