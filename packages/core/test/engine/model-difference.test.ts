import { expect, test } from 'vitest'
import type { EntiaError } from '../../src/errors.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import { createDataStore, openDump } from '../../src/store/create-store.ts'
import { describeClass, modelDifference } from '../../src/store/dump/dump.ts'

const ID = attribute.long({ key: true })
const Company = defineDataClass('Company', { ID, name: attribute.string() })
const employee = {
  ID,
  lastName: attribute.string(),
  born: attribute.date(),
  employer: attribute.relatedEntity('Company'),
}
const Employee = defineDataClass('Employee', employee)
const Badge = defineDataClass('Badge', { ID })

const bytes = createDataStore({ name: 'hr', dataClasses: [Company, Employee] }).dump()

const { lastName, born, employer } = employee
const changed = (attributes: object) => [
  Company,
  defineDataClass('Employee', { ID, ...attributes } as never),
]

test.each<[string, readonly unknown[], string]>([
  [
    'a new attribute',
    changed({ lastName, born, employer, phone: attribute.string() }),
    'attribute "Employee.phone" of the model is not in it.',
  ],
  [
    'an attribute less',
    changed({ lastName, employer }),
    'it has attribute "Employee.born", which the model lacks.',
  ],
  [
    'another name',
    changed({ surname: lastName, born, employer }),
    'attribute "Employee.surname" of the model is not in it, which has "Employee.lastName" that the model lacks.',
  ],
  [
    'another type',
    changed({ lastName, born: attribute.string(), employer }),
    'attribute "Employee.born" is date in it, and string in the model.',
  ],
  [
    'dates without times',
    changed({ lastName, born: attribute.date({ dateOnly: true }), employer }),
    'attribute "Employee.born" is date in it, and date (dateOnly) in the model.',
  ],
  [
    'another relation',
    changed({ lastName, born, employer: attribute.relatedEntity('Employee') }),
    'attribute "Employee.employer" is long (a relation to "Company") in it, and long (a relation to "Employee") in the model.',
  ],
  [
    'another order of attributes',
    changed({ born, lastName, employer }),
    'it has attribute "Employee.lastName" where the model has "Employee.born": their order must be the same.',
  ],
  ['a new dataclass', [Company, Employee, Badge], 'dataclass "Badge" of the model is not in it.'],
  [
    'another dataclass',
    [Company, defineDataClass('Person', { ID, employer })],
    'dataclass "Person" of the model is not in it, which has "Employee" that the model lacks.',
  ],
  ['a dataclass less', [Company], 'it has dataclass "Employee", which the model lacks.'],
  [
    'another order of dataclasses',
    [Employee, Company],
    'it has dataclass "Company" where the model has "Employee": their order must be the same.',
  ],
])('a dump opened with %s is refused, and the error names it', (_, dataClasses, problem) => {
  let refused: EntiaError<'dumpInvalid'> | null = null
  try {
    openDump(bytes, { dataClasses } as never)
  } catch (error) {
    refused = error as EntiaError<'dumpInvalid'>
  }
  expect(refused).toMatchObject({ code: 'dumpInvalid', details: { problem } })
  expect(refused?.message).toContain('Open it with the dataclasses that it was written with')
})

test('indexes, rules, functions and computed attributes may change', () => {
  const more = defineDataClass('Employee', {
    ID: attribute.long({ key: true, autoSequence: true }),
    lastName: attribute.string({ indexed: true, maxLength: 9 }),
    born: attribute.date({ readOnly: true }),
    employer: attribute.relatedEntity('Company', { onDelete: 'cascade' }),
    city: attribute.alias('employer.name'),
  })
  expect(openDump(bytes, { dataClasses: [Company, more] }).Employee.count).toBe(0)
})

test('an impossible model is malformed, and one with an unknown difference is another model', () => {
  const catalog = buildCatalog({ name: 'hr', dataClasses: [Company] })
  const [company] = catalog.classes.map(describeClass)
  expect(modelDifference([company], catalog)).toBeNull()
  for (const wrong of [null, {}, [7], [{ name: 'Company' }]])
    expect(modelDifference(wrong, catalog)).toBe('its model is malformed.')
  expect(modelDifference([{ ...company, more: 1 }], catalog)).toBe('its model is another one.')
})
