import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { type WrittenComparison, writtenComparisons } from '@entia/core/internal'
import { describe, expect, test } from 'vitest'
import { complete, valueAt } from '../src/page/completion.ts'
import { defaultColumns, readModel } from '../src/page/model.ts'

const storage = (name: string, type: string) => ({ name, kind: 'storage', type })
const model = readModel({
  __NAME: 'hr',
  dataClasses: [
    {
      name: 'Company',
      collectionName: 'CompanySelection',
      key: [{ name: 'ID' }],
      attributes: [
        storage('ID', 'long'),
        storage('name', 'string'),
        { name: 'staff', kind: 'relatedEntities', type: 'EmployeeSelection' },
      ],
    },
    {
      name: 'Employee',
      collectionName: 'EmployeeSelection',
      key: [{ name: 'ID' }],
      attributes: [
        storage('ID', 'long'),
        storage('lastName', 'string'),
        storage('salary', 'number'),
        storage('active', 'bool'),
        storage('photo', 'image'),
        { name: 'employer', kind: 'relatedEntity', type: 'Company', foreignKey: 'employerID' },
        storage('employerID', 'long'),
      ],
    },
  ],
})
const Employee = model.classes.get('Employee')!

/** The type has one member for each operator that core parses: a new one is missing here. */
const OPERATORS: Readonly<Record<WrittenComparison['operator'], true>> = {
  equal: true,
  identical: true,
  notEqual: true,
  notIdentical: true,
  greater: true,
  greaterEqual: true,
  less: true,
  lessEqual: true,
  begin: true,
  end: true,
  keyword: true,
  in: true,
  isIn: true,
  escapedLike: true,
}
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  lastName: attribute.string(),
})
const person = createDataStore({ name: 'people', dataClasses: [Person] }).Person.model

/** The labels of the completions at the `|`. */
const at = (text: string) => {
  const caret = text.indexOf('|')
  return complete(text.replace('|', ''), caret, Employee, model).items.map(({ label }) => label)
}
const taken = (text: string, label: string) => {
  const caret = text.indexOf('|')
  const plain = text.replace('|', '')
  const { from, items } = complete(plain, caret, Employee, model)
  return (
    plain.slice(0, from) + items.find((item) => item.label === label)?.insert + plain.slice(caret)
  )
}

describe('completion', () => {
  test('offers attributes by a case-insensitive prefix', () => {
    expect(at('|')).toEqual(['ID', 'lastName', 'salary', 'active', 'employer', 'employerID'])
    expect(at('LAST|')).toEqual(['lastName'])
    expect(at('photo|')).toEqual([])
  })

  test('follows relations after dots, including to-many ones and {2}', () => {
    expect(at('employer.|')).toEqual(['ID', 'name', 'staff'])
    expect(at('employer.staff.sal|')).toEqual(['salary'])
    expect(at('employer.staff{2}.sal|')).toEqual(['salary'])
    expect(at('salary.|')).toEqual([])
  })

  test('offers operators after a path, text operators only for text', () => {
    expect(at('lastName |')).toEqual(expect.arrayContaining(['begin', 'end']))
    expect(at('salary |')).not.toContain('begin')
    expect(at('salary >|')).toEqual(expect.arrayContaining([]))
    expect(at('salary i|')).toEqual(['in', 'isin', 'is null', 'is not null'])
    expect(at('lastName isin |')).toEqual([])
    expect(at("lastName isin ['a'] |")).toContain('and')
  })

  test('offers every operator of the filter language', () => {
    const read = at('lastName |')
      .filter((label) => !label.endsWith('null'))
      .map((label) => `lastName ${label} ${/^(?:is)?in$/.test(label) ? '[a]' : 'a'}`)
      .map((filter) => writtenComparisons(filter, person)[0]?.operator)
    expect(read.sort()).toEqual(Object.keys(OPERATORS).sort())
  })

  test('offers only true and false as values', () => {
    expect(at('salary > |')).toEqual([])
    expect(at('active = |')).toEqual(['true', 'false'])
    expect(at("lastName = 'and sal|")).toEqual([])
  })

  test('offers connectives after a comparison, and paths after connectives', () => {
    expect(at('salary > 5 |')).toEqual(['and', 'or', 'except', 'order by'])
    expect(at("lastName = 'x y' a|")).toEqual(['and'])
    expect(at('salary > 5 and |')).toContain('lastName')
    expect(at('salary > 5 and not (act|')).toEqual(['active'])
    expect(at('salary in [1, 2] |')).toContain('and')
    expect(at('salary is not null |')).toContain('and')
    expect(at('active and |')).toContain('salary')
  })

  test('offers attributes without to-many relations for an order, then directions', () => {
    expect(at('active = true order by employer.|')).toEqual(['ID', 'name'])
    expect(at('order by salary |')).toEqual(['asc', 'desc'])
    expect(at('order by salary desc, last|')).toEqual(['lastName'])
  })

  test('replaces the last part of a path, and continues after a relation', () => {
    expect(taken('emp|', 'employer')).toBe('employer.')
    expect(taken('salary > 5 and employer.na|', 'name')).toBe('salary > 5 and employer.name ')
    expect(taken('sal| > 5', 'salary')).toBe('salary  > 5')
  })
})

test('default columns omit objects, bytes, and foreign keys with a shown relation', () => {
  expect(defaultColumns(Employee)).toEqual([
    'ID',
    'lastName',
    'salary',
    'active',
    'photo',
    'employer',
  ])
})

test('a pasted filter of any length does not stop the page', () => {
  // A search that tries each place of the text would take minutes.
  const long = `lastName = '${'x'.repeat(200_000)}'`
  expect(complete(long, long.length, Employee, model).items.map(({ label }) => label)).toContain(
    'and',
  )
  const typed = valueAt(long, long.length - 1, Employee, model)
  expect(typed).toMatchObject({ attribute: { name: 'lastName' }, from: 11 })
  expect(typed?.typed.length).toBe(200_000)
}, 30_000)
