import { describe, expect, test } from 'vitest'
import { complete } from '../src/page/completion.ts'
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

/** Labels of what may stand at the `|`. */
const at = (text: string) => {
  const caret = text.indexOf('|')
  return complete(text.replace('|', ''), caret, Employee, model).items.map(({ label }) => label)
}
const taken = (text: string, label: string) => {
  const caret = text.indexOf('|')
  const plain = text.replace('|', '')
  const { from, items } = complete(plain, caret, Employee, model)
  return plain.slice(0, from) + items.find((item) => item.label === label)?.insert + plain.slice(caret)
}

describe('completion', () => {
  test('offers the attributes that can be asked for, by the beginning of their names in any case', () => {
    expect(at('|')).toEqual(['ID', 'lastName', 'salary', 'active', 'employer', 'employerID'])
    expect(at('LAST|')).toEqual(['lastName'])
    expect(at('photo|')).toEqual([])
  })

  test('follows relations behind dots, to-many ones too, and another entity of them', () => {
    expect(at('employer.|')).toEqual(['ID', 'name', 'staff'])
    expect(at('employer.staff.sal|')).toEqual(['salary'])
    expect(at('employer.staff{2}.sal|')).toEqual(['salary'])
    expect(at('salary.|')).toEqual([])
  })

  test('offers operators behind a path, those for text only where there is text', () => {
    expect(at('lastName |')).toContain('begin')
    expect(at('salary |')).not.toContain('begin')
    expect(at('salary >|')).toEqual(expect.arrayContaining([]))
    expect(at('salary i|')).toEqual(['in', 'is null', 'is not null'])
  })

  test('offers nothing for values of the user, but true and false for booleans', () => {
    expect(at('salary > |')).toEqual([])
    expect(at('active = |')).toEqual(['true', 'false'])
    expect(at("lastName = 'and sal|")).toEqual([])
  })

  test('offers connectives behind a comparison, and paths behind them', () => {
    expect(at('salary > 5 |')).toEqual(['and', 'or', 'except', 'order by'])
    expect(at("lastName = 'x y' a|")).toEqual(['and'])
    expect(at('salary > 5 and |')).toContain('lastName')
    expect(at('salary > 5 and not (act|')).toEqual(['active'])
    expect(at('salary in [1, 2] |')).toContain('and')
    expect(at('salary is not null |')).toContain('and')
    expect(at('active and |')).toContain('salary')
  })

  test('offers order: attributes without to-many relations, then directions', () => {
    expect(at('active = true order by employer.|')).toEqual(['ID', 'name'])
    expect(at('order by salary |')).toEqual(['asc', 'desc'])
    expect(at('order by salary desc, last|')).toEqual(['lastName'])
  })

  test('replaces the part of the path that was begun, and goes on behind a relation', () => {
    expect(taken('emp|', 'employer')).toBe('employer.')
    expect(taken('salary > 5 and employer.na|', 'name')).toBe('salary > 5 and employer.name ')
    expect(taken('sal| > 5', 'salary')).toBe('salary  > 5')
  })
})

test('a grid begins without objects and bytes, and without a foreign key beside its relation', () => {
  expect(defaultColumns(Employee)).toEqual(['ID', 'lastName', 'salary', 'active', 'photo', 'employer'])
})
