import {
  and,
  eq,
  gt,
  gte,
  IR,
  ilike,
  inArray,
  isNull,
  like,
  lt,
  not,
  or,
  upper,
} from '@tanstack/db'
import { expect, test } from 'vitest'
import { conditionsOf, Filter, type Term } from '../src/filter.ts'
import { truthOf } from '../src/truth.ts'

const terms = new Map<string, Term>([
  ['name', ['name', 'text']],
  ['salary', ['salary', 'number']],
  ['active', ['active', 'bool']],
  ['hired', ['hired', 'day']],
  ['seen', ['seen', 'moment']],
  ['ID', ['ID', 'uuid']],
  ['employer', ['employer', 'reference']],
  ['employer.key', ['employer.__KEY', 'number']],
])
const filter = new Filter(conditionsOf('Employee'), terms)
const ref = (path: string) => new IR.PropRef(path.split('.'))
const sent = (expression: IR.BasicExpression) => String(filter.of(expression))
const [name, salary, active, ID] = ['name', 'salary', 'active', 'ID'].map(ref)
const key = 'A'.repeat(32)

test.each([
  [gt(salary, 5), 'salary > 5'],
  [lt(5, salary), 'salary > 5'],
  [not(gt(salary, 5)), 'salary <= 5'],
  [eq(name, 'a@b'), "name === 'a@b'"],
  [eq(active, true), 'active === true'],
  [not(active), 'active === false'],
  [eq(ID, key), `ID === '${key}'`],
  [gte(ref('hired'), '2020-01-31'), "hired >= '2020-01-31'"],
  [gte(ref('seen'), '2020-01-31T00:00:00.000Z'), "seen >= '2020-01-31T00:00:00.000Z'"],
  [eq(ref('employer.key'), 2), 'employer.__KEY === 2'],
  [isNull(ref('employer')), 'employer === null'],
  [not(isNull(ref('employer'))), 'employer !== null'],
  [inArray(salary, [1, 2]), 'salary in [1, 2]'],
  [not(inArray(salary, [1, 2])), 'not salary in [1, 2]'],
  [like(name, 'Ab%c_'), "name begin 'Ab'"],
  [
    and(gt(salary, 5), or(active, isNull(name))),
    'salary > 5 and (active === true or name === null)',
  ],
  [not(and(gt(salary, 5), active)), 'salary <= 5 or active === false'],
])('%# is sent: %s', (expression, text) => {
  expect(sent(expression as IR.BasicExpression)).toBe(text)
})

test.each([
  ['the opposite of a folded comparison', not(eq(name, 'a'))],
  ['a range of texts', gt(name, 'a')],
  ['a pattern that begins with a wildcard', ilike(name, '%a')],
  ['a function', eq(upper(name), 'A')],
  ['a value of another type', eq(salary, '5')],
  ['a day that does not exist', eq(ref('hired'), '2020-02-30')],
  ['a moment in another form', gt(ref('seen'), '2020-01-31')],
  ['an unknown path', eq(ref('notes.floor'), 1)],
  ['a disjunction with one of these', or(gt(salary, 5), gt(name, 'a'))],
  [
    'a list that is too long',
    inArray(
      salary,
      Array.from({ length: 201 }, (_, at) => at),
    ),
  ],
])('%s loads everything', (_, expression) => {
  expect(sent(expression as IR.BasicExpression)).toBe('')
})

test('what no row can be loads nothing', () => {
  for (const expression of [eq(salary, null), eq(ID, 'x'), inArray(salary, [])])
    expect(sent(expression as IR.BasicExpression)).toBe('__KEY = null')
})

test('comparisons with null are neither true nor false', () => {
  const row = { key: 1, stamp: 1, timestamp: '', salary: null, name: 'a' }
  const truth = (expression: unknown) => truthOf(expression as IR.BasicExpression, row)
  expect(truth(gt(salary, 5))).toBe(null)
  expect(truth(not(gt(salary, 5)))).toBe(null)
  expect(truth(or(gt(salary, 5), eq(name, 'a')))).toBe(true)
  expect(truth(and(gt(salary, 5), eq(name, 'b')))).toBe(false)
  expect(truth(like(name, 'a'))).toBe(undefined)
})
