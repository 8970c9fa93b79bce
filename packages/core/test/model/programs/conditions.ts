// Conditions: what compiles, and what does not.
import {
  attribute,
  type Condition,
  createDataStore,
  defineDataClass,
  type Where,
  where,
} from '@entia/core'
import type { Hr } from './named.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ notNull: true }),
  city: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  lastName: attribute.string({ notNull: true }),
  token: attribute.uuid(),
  salary: attribute.number(),
  active: attribute.bool({ notNull: true }),
  hired: attribute.date(),
  lunch: attribute.duration(),
  notes: attribute.object<{ floor?: number; tags: string[]; skills: { name: string }[] }>(),
  anything: attribute.object(),
  photo: attribute.image(),
  employer: attribute.relatedEntity('Company', { notNull: true }),
  boss: attribute.relatedEntity('Employee'),
  reports: attribute.relatedEntities('Employee', 'boss'),
  city: attribute.alias('employer.city'),
  bossName: attribute.alias('boss.lastName'),
  monthly: attribute.computed('number', {
    get: (e: { salary: number | null }) => (e.salary === null ? null : e.salary / 12),
  }),
  // Names of operators, of members of conditions and of functions.
  eq: attribute.number(),
  in: attribute.string(),
  key: attribute.string(),
  name: attribute.string(),
  text: attribute.string(),
  length: attribute.long(),
  with: attribute.bool(),
})
const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
const e = where(store.Employee)

/** Never called: only the compiler reads it. */
export function compiled(dynamic: string): readonly Condition<'Employee'>[] {
  const rich: Condition<'Employee'> = e('salary', '>', 50_000)
  store.Employee.query(rich)
    .query((e) => e('active'))
    .query(rich.not())
  store.Employee.query((e) => rich.and(e('employer.city', '=', 'Paris'), e('boss', '=', null)))
  store.transact((tx) => tx.Employee.query((e) => e('active')).count)
  store.at(3).Employee.query(rich)
  store.at(3).Employee.query((e) => e('salary', 'in', [1, 2]))
  store.view().dataClass('Employee').query(rich)
  store.view({ rows: { Employee: rich } })
  store.dataClass(dynamic).query((e) => e('whatever.it.is', '>', 'x'))
  store.Employee.explain(rich)
  store.Employee.query('salary > :1', [3])
  return [
    rich,
    e('lastName', '%', 'b@'),
    e('token', 'begin', '00'),
    e('token', 'end', 'ff'),
    e('hired', '<', new Date()),
    e('hired', 'in', ['2020-01-01']),
    e('lunch', '>=', '00:30:00'),
    e('lunch', '>=', 1_800_000),
    e('photo', '!=', null),
    e('notes', '=', null),
    e('notes.floor', '>', 2),
    e('notes.tags[]', '=', 'vip'),
    e('notes.tags.length', '>', 1),
    e('notes.skills[a].name', 'begin', 'm'),
    e('anything.at.all', '=', true),
    e('anything[].x', '=', 5),
    e('anything.flag'),
    e('employer', 'in', [1, 2]),
    e('employer.__KEY', '>', 2),
    e('boss.lastName', '=', null),
    e('reports', '=', null),
    e('reports{2}.salary', '>', 5),
    e('reports.employer.staff.lastName', '=', 'x'),
    e('city', '=', null),
    e('bossName', '=', null),
    e('monthly', '<=', 100),
    e(dynamic, '=', 5),
    e('eq', '=', 1).and(e('in', 'in', ['x']), e('key', '=', 'x'), e('name', '=', 'x')),
    e('text', '=', 'x').or(e('length', '=', 1), e('with')),
    e.and(...[rich, rich]),
    e.or(),
  ]
}

/** Never called either. */
export function refused() {
  // @ts-expect-error misspelt
  e('salry', '>', 3)
  // @ts-expect-error misspelt after a relation
  e('employer.cty', '=', 'x')
  // @ts-expect-error misspelt after an alias for a text
  e('city.name', '=', 'x')
  // @ts-expect-error misspelt in an object of a known shape
  e('notes.flor', '=', 2)
  // @ts-expect-error not an operator
  e('salary', '=>', 3)
  // @ts-expect-error numbers have no words
  e('salary', '%', 3)
  // @ts-expect-error identifiers have no words
  e('token', '%', 'x')
  // @ts-expect-error relations have no order
  e('employer', '>', 3)
  // @ts-expect-error a number
  e('salary', '>', '3')
  // @ts-expect-error a text, not a number
  e('lastName', '=', 3)
  // @ts-expect-error milliseconds are not a date in filter text
  e('hired', '>', 3)
  // @ts-expect-error null has no order
  e('salary', '>', null)
  // @ts-expect-error null is not an element
  e('salary', 'in', [3, null])
  // @ts-expect-error a list
  e('salary', 'in', 3)
  // @ts-expect-error no list
  e('salary', '=', [3])
  // @ts-expect-error never null
  e('lastName', '=', null)
  // @ts-expect-error never null: the relation is notNull, and so is the name
  e('employer.name', '=', null)
  // @ts-expect-error missing
  e('salary', '=', undefined)
  // @ts-expect-error missing
  e('salary', '=')
  // @ts-expect-error images are compared with null only
  e('photo', '=', 'x')
  // @ts-expect-error not a boolean
  e('salary')
  // @ts-expect-error a key of Company is a number
  e('employer', '=', 'x')
  // @ts-expect-error a condition of another dataclass
  store.Company.query(e('active'))
  // @ts-expect-error a condition of another dataclass
  e('active').and(where(store.Company)('city', '=', 'x'))
  // @ts-expect-error not a condition
  store.Employee.query(() => true)
  // @ts-expect-error not a condition
  store.Employee.query(() => {})
  // @ts-expect-error a promise of a condition
  store.Employee.query(async (e) => e('active'))
}

/** Conditions of a named model, for functions that take or return them. */
export const paidOver = (least: number) => (e: Where<Hr, 'Employee'>) => e('salary', '>', least)
