import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { matchers } from '../src/plans/matchers.ts'
import { assertUsesIndex, usesIndex } from '../src/plans/uses-index.ts'

expect.extend(matchers)

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  city: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  salary: attribute.number({ indexed: true }),
  nickname: attribute.string(),
  employer: attribute.relatedEntity('Company'),
})
const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
for (let i = 0; i < 100; i++) {
  store.Company.insert({ city: `c${i}` })
  for (let j = 0; j < 10; j++)
    store.Employee.insert({ salary: i * 10 + j, nickname: 'x', employer: i + 1 })
}

test('usesIndex finds an index in a selection, in a plan, and across a relation', () => {
  const rich = store.Employee.query('salary > 990')
  expect(usesIndex(rich, 'Employee.salary')).toBe(true)
  expect(usesIndex(store.Employee.explain('salary > 990'), 'Employee.salary')).toBe(true)
  expect(usesIndex(store.Employee.query("employer.city = 'c7'"), 'Company.city')).toBe(true)
  expect(usesIndex(store.Employee.query("nickname = 'y'"), 'Employee.nickname')).toBe(false)
})

test('a failed assertion lists the used indexes and shows the plan', () => {
  const scan = store.Employee.query("nickname = 'y'")
  expect(() => assertUsesIndex(scan, 'Employee.nickname')).toThrow(
    /Employee\.nickname; no index is used\.\n\n.*scan/s,
  )
  expect(() => assertUsesIndex(store.Employee.query('salary > 990'), 'Employee.ID')).toThrow(
    'used: Employee.salary',
  )
})

test('the matcher passes, fails and is negated', () => {
  const rich = store.Employee.query('salary > 990')
  expect(matchers.toUseIndex(rich, 'Employee.salary').pass).toBe(true)
  const { pass, message } = matchers.toUseIndex(rich, 'Employee.ID')
  expect(pass).toBe(false)
  expect(message()).toContain('expected to use the index Employee.ID')
  expect(matchers.toUseIndex(rich, 'Employee.salary').message()).toContain('expected not to use')
  const remote = connect<typeof store>('http://x.example/rest').Employee.query`salary > 990`
  for (const wrong of ['rich', remote])
    expect(() => matchers.toUseIndex(wrong, 'Employee.ID')).toThrow('of a store in this process')
})
