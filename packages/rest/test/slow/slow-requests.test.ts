import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, expect, test } from 'vitest'
import { createRestHandler, type RestHandler, type SlowRequest, slowText } from '../../src/index.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string(),
  city: attribute.string(),
  salary: attribute.number({ indexed: true }),
  employer: attribute.relatedEntity('Company'),
})

let now = 0
let reports: SlowRequest[]
let rest: RestHandler
let employees: { createIndex(attribute: 'city'): unknown; dropIndex(attribute: 'city'): unknown }

function serve(milliseconds: number): RestHandler {
  now = 0
  reports = []
  const clock = { now: () => now, monotonic: () => now }
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee], clock })
  employees = store.Employee
  store.Company.load([{ name: 'Acme' }, { name: 'Globex' }])
  const cities = Array.from({ length: 50 }, (_, at) => `City ${at}`)
  store.Employee.load(
    Array.from({ length: 2000 }, (_, at) => ({
      lastName: `Secret${at}`,
      city: cities[at % 50]!,
      salary: at,
      employer: (at % 2) + 1,
    })),
  )
  return createRestHandler(store, {
    slow: { milliseconds, report: (request) => void reports.push(request) },
  })
}

async function ask(method: string, url: string, content?: unknown): Promise<number> {
  const body = content === undefined ? {} : { body: JSON.stringify(content) }
  const headers = { 'content-type': 'application/json' }
  const { status } = await rest.handle({ method, url: `/rest/${url}`, headers, ...body })
  // The report follows the answer.
  await new Promise((resolve) => setImmediate(resolve))
  return status
}

beforeEach(() => {
  rest = serve(0)
})

test('a slow page is reported with its plan, and without the values of its filter', async () => {
  await ask(
    'GET',
    'Employee?$filter="lastName=Secret7 and employer.name=Acme"&$orderby=city&$top=5',
  )
  expect(reports).toEqual([
    {
      operation: 'page',
      name: 'Employee',
      filter: 'Company by employer: (name === ?) and lastName === ?',
      orderBy: 'city',
      milliseconds: 0,
      found: 0,
      shown: 0,
      database: null,
      plan: expect.arrayContaining([expect.stringMatching(/^ *filter|scan|semiJoin/)]),
      error: null,
      omitted: 0,
    },
  ])
  expect(JSON.stringify(reports)).not.toMatch(/Secret7|Acme/)
  expect(slowText(reports[0]!)).toMatch(
    /^Slow page of Employee: 0 ms, 0 entities of 0\n {2}filter Company by employer/,
  )
})

test('a request below the limit is not reported', async () => {
  rest = serve(1)
  expect(await ask('GET', 'Employee')).toBe(200)
  expect(reports).toEqual([])
  expect(rest.advice()).toEqual([])
})

test('at most one report is made per second, with the number of slow requests', async () => {
  for (let at = 0; at < 4; at++) await ask('GET', 'Employee(1)')
  now = 1000
  await ask('GET', 'Employee(1)')
  expect(reports.map(({ omitted }) => omitted)).toEqual([0, 3])
})

test.each([
  ['GET', 'Employee(1)', undefined, { operation: 'entity', shown: null, plan: null }],
  [
    'GET',
    'Employee/salary?$compute=sum&$filter="salary>10"',
    undefined,
    { operation: 'aggregates' },
  ],
  [
    'GET',
    'Employee/city?$distinct=true',
    undefined,
    { operation: 'distinct values', filter: null },
  ],
  ['POST', 'Employee?$method=update', [{ lastName: 'A' }], { operation: 'save', shown: 1 }],
  ['POST', 'Employee(3)?$method=delete', undefined, { operation: 'deletion', shown: 1 }],
  [
    'GET',
    'Employee?$filter="unknown=1"',
    undefined,
    { operation: 'page', error: 'filterCannotBeAnalysed' },
  ],
])('%s %s', async (method, url, content, expected) => {
  await ask(method, url, content)
  expect(reports).toEqual([expect.objectContaining(expected)])
})

test('onError gets the error that a report throws, and the answer does not change', async () => {
  const errors: unknown[] = []
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  rest = createRestHandler(store, {
    onError: (error) => void errors.push(error),
    slow: {
      milliseconds: 0,
      report: () => {
        throw new Error('no disk')
      },
    },
  })
  expect(await ask('GET', 'Company')).toBe(200)
  expect(errors).toEqual([new Error('no disk')])
})

test('an index is advised for a condition that a scan answered, with the observed figures', async () => {
  for (let at = 0; at < 3; at++) await ask('GET', 'Employee?$filter="city=\'City 3\'"')
  await ask('GET', 'Employee?$filter="salary>1990"')
  expect(rest.advice()).toEqual([
    {
      dataClass: 'Employee',
      attribute: 'city',
      change: 'indexed: true',
      reads: 3,
      milliseconds: 0,
      looksAt: 2000,
      finds: 40,
      reason:
        '3 slow reads of Employee took 0 ms on average, with the filter city === ?. Each looked at about 2000 entities and found 40.',
    },
  ])
})

test('metrics name the attributes for which an index is advised', async () => {
  const shown = async () =>
    (await rest.metrics()).split('\n').filter((line) => line.startsWith('entia_missing_index'))
  expect(await shown()).toEqual([])
  await ask('GET', 'Employee?$filter="city=\'City 3\'"')
  expect(await shown()).toEqual([
    'entia_missing_index_seconds{dataclass="Employee",attribute="city"} 0',
  ])
  employees.createIndex('city')
  expect([await shown(), rest.advice()]).toEqual([[], []])
  employees.dropIndex('city')
  expect((await shown()).length).toBe(1)
})

test.each([
  ['selects most entities', '"city!=Rome"'],
  ['finds inside of a text', '"lastName=@cret@"'],
  ['is narrowed by an index already', '"salary>1990 and city=Rome"'],
  ['has an alternative without an index', '"city=Rome or lastName=@x@"'],
  ['negates', '"not(city=Rome)"'],
])('no index is advised for a filter that %s', async (_title, filter) => {
  await ask('GET', `Employee?$filter=${encodeURIComponent(filter)}`)
  expect(rest.advice()).toEqual([])
})

test.each([
  [{}, 'milliseconds'],
  [{ milliseconds: -1 }, 'milliseconds'],
  [{ milliseconds: 1, report: 'x' }, 'function'],
  [{ milliseconds: 1, unknown: 1 }, 'milliseconds'],
])('the option %j is refused', (slow, word) => {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  expect(() => createRestHandler(store, { slow } as never)).toThrow(word)
})
