import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserFolder } from './compilers.ts'

const MODEL = `import { attribute, createDataStore, defineDataClass, where } from '@entia/core'
const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ notNull: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  lastName: attribute.string(),
  salary: attribute.number(),
  active: attribute.bool(),
  notes: attribute.object<{ floor: number; tags: string[]; inner: { deep: string } }>(),
  employer: attribute.relatedEntity('Company'),
})
const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
const all = store.Employee.all()
const e = where(store.Employee)
`
const company = ['ID', 'name', 'staff']
const employee = ['ID', 'active', 'employer', 'lastName', 'notes', 'salary']
const after = (prefix: string, names: readonly string[]) => names.map((name) => prefix + name)

/** Lines of a program with a mark, and what an editor offers there. */
const CASES: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  'attributes and directions of an order': [
    ["all.orderBy('¦')", employee],
    ["all.orderBy('sal¦')", employee],
    ["all.orderBy('employer.¦')", after('employer.', company)],
    ["all.orderBy('employer.na¦')", after('employer.', company)],
    // Many entities have no order: it begins again.
    ["all.orderBy('employer.staff.employer.¦')", after('employer.', company)],
    ["all.orderBy('salary d¦')", ['salary asc', 'salary desc']],
    ["all.orderBy('salary desc, ¦')", after('salary desc, ', employee)],
    ["all.orderBy('salary desc,employer.¦')", after('salary desc,employer.', company)],
    ["all.orderBy('sal¦, lastName')", employee.map((name) => `${name}, lastName`)],
  ],
  'paths of a projection or an aggregate': [
    ["all.select('¦')", ['*', ...employee]],
    ["all.select('lastName, ¦')", after('lastName, ', ['*', ...employee])],
    ["all.select('lastName, employer.¦')", after('lastName, employer.', ['*', ...company])],
    ["all.json('last¦')", ['*', ...employee]],
    ["all.distinct('¦')", employee],
    ["all.distinct('employer.¦')", after('employer.', company)],
    ["all.sum('¦')", ['ID', 'salary']],
    ["all.average('¦')", ['ID', 'salary']],
    ["all.min('¦')", ['ID', 'active', 'lastName', 'salary']],
    ["all.compute('¦')", ['ID', 'active', 'lastName', 'salary']],
    ["all.countOf('¦')", employee],
    ["store.Employee.findBy('¦', 1)", employee],
  ],
  'paths and operators of a condition': [
    ["e('¦')", employee],
    ["e('¦', '=', 1)", employee],
    ["e('employer.¦', '=', 1)", after('employer.', company)],
    ["e('employer.staff{2}.¦', '=', 1)", after('employer.staff{2}.', employee)],
    ["e('notes.¦', '=', 1)", after('notes.', ['floor', 'inner', 'tags', 'tags[]'])],
    ["e('notes.inner.¦', '=', 1)", ['notes.inner.deep']],
    ["e('notes.tags.¦', '=', 1)", ['notes.tags.length']],
    ["e('salary', '¦', 1)", ['!=', '!==', '<', '<=', '=', '===', '>', '>=', 'in']],
    ["e('employer', '¦', 1)", ['!=', '!==', '=', '===', 'in']],
    ["e('notes', '¦', null)", ['!=', '!==', '=', '===']],
    ["store.Employee.query((e) => e('¦', '=', 1))", employee],
    [
      "all.query((e) => e('active').and(e('salary', '¦', 1)))",
      ['!=', '!==', '<', '<=', '=', '===', '>', '>=', 'in'],
    ],
  ],
}

// The lines are of one program, whose types the editor works out once.
const lines = Object.values(CASES).flatMap((cases) => cases.map(([line]) => line))
let offered: ReadonlyMap<string, readonly string[] | undefined>
let folder: UserFolder
beforeAll(() => {
  folder = new UserFolder()
  const found = folder.completions(`${MODEL}${lines.join('\n')}\n`)
  offered = new Map(lines.map((line, at) => [line, found[at]]))
})
afterAll(() => folder.remove())

describe.each(Object.entries(CASES))('an editor offers the %s', (_, cases) => {
  test.each(cases)('%s', (line, expected) => {
    expect(offered.get(line)).toEqual(expected)
  })
})
