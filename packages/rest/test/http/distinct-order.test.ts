import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, get } from './send.ts'

const store = createHr()
store.Employee.insert({ firstName: 'ada', lastName: 'Lovelace', salary: 60_000 })
const rest = createRestHandler(store)
const distinct = async (query: string) =>
  (await get(rest, `/rest/Employee/${query}&$distinct=true`)).body

test('distinct values are ascending, or descending if $orderby names their attribute with desc', async () => {
  const upwards = ['Ada', 'Ann', 'Émile', 'Grace']
  for (const order of ['', '&$orderby=firstName', '&$orderby="firstName ASC"'])
    expect(await distinct(`firstName?$skip=0${order}`)).toEqual(upwards)
  for (const order of ['firstName desc', '"firstName  DESC"', ' firstName%20desc '])
    expect(await distinct(`firstName?$orderby=${order}`)).toEqual(upwards.toReversed())
})

test('distinct values are paged in their order', async () => {
  expect(await distinct('salary?$orderby=salary desc&$skip=1&$top=2')).toEqual([50_000, 40_000])
  expect(await distinct('salary?$orderby=salary&$skip=1&$top=2')).toEqual([40_000, 50_000])
})

test("distinct values of an object's property and of an alias are ordered, too", async () => {
  expect(await distinct('employerName?$orderby=employerName desc')).toEqual(['Apple', 'Adobe'])
  expect(await distinct('notes.level.n?$orderby=notes.level.n desc')).toEqual([3])
})

test('$orderby of another attribute is refused', async () => {
  for (const order of [
    'salary',
    'salary,firstName',
    'firstName,salary',
    'firstName desc,firstName',
    'ID desc',
  ])
    expectError(
      await get(rest, `/rest/Employee/firstName?$distinct=true&$orderby=${order}`),
      400,
      1813,
    )
  expectError(
    await get(rest, '/rest/Employee/firstName?$distinct=true&$orderby=nothing'),
    404,
    1500,
    1810,
  )
})

test('$compute ignores the order, as without $distinct', async () => {
  expect(await distinct('salary?$compute=max&$orderby=ID desc')).toBe(60_000)
})
