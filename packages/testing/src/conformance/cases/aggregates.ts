import type { CaseTable } from '../case.ts'
import { only } from '../expect.ts'
import { companies, salaries } from '../fixtures/companies.ts'
import { orders } from '../fixtures/orders.ts'

/** `$compute` and `$distinct`. */
export const aggregates: CaseTable = [
  {
    id: 79,
    title: '$compute=$all of a number',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Payments?$attributes=Amount&$compute=$all',
        exactly: '{"Amount":{"count":20,"sum":12,"average":0.6,"min":-128,"max":124}}',
      },
    ],
  },
  {
    id: 81,
    title: '$compute=$all of a calendar date has date-time bounds',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Payments?$attributes=PaymentDate&$compute=$all',
        exactly:
          '{"PaymentDate":{"count":20,"min":"2024-01-01T00:00:00.000Z","max":"2024-01-29T00:00:00.000Z"}}',
      },
    ],
  },
  {
    id: 83,
    title: 'the attribute in the path',
    fixture: salaries,
    steps: [
      {
        send: 'GET /rest/Employee/salary/?$compute=$all',
        reply: only({
          salary: only({ count: 4, sum: 335_000, average: 83_750, min: 70_000, max: 99_000 }),
        }),
      },
    ],
  },
  {
    id: 84,
    title: '$compute=$all of a text',
    fixture: salaries,
    wrong: 'The sample prints the name of another attribute, salary.',
    steps: [
      {
        send: 'GET /rest/Employee/firstName/?$compute=$all',
        reply: only({ firstName: only({ count: 4, min: 'Anne', max: 'Victor' }) }),
      },
    ],
  },
  {
    id: 86,
    title: 'distinct values of a filtered selection',
    fixture: companies,
    steps: [
      {
        send: 'GET /rest/Company/name?$filter="name=a*"&$distinct=true',
        exactly: '["Adobe","Apple"]',
      },
    ],
  },
  {
    id: 88,
    title: 'distinct numbers, in order',
    fixture: salaries,
    steps: [{ send: 'GET /rest/Employee/salary?$distinct=true', exactly: '[70000,83000,99000]' }],
  },
  {
    id: 90,
    title: 'distinct properties of objects: in order, without null, one spelling each',
    fixture: salaries,
    steps: [
      {
        send: 'GET /rest/Employee/address.country?$distinct=true',
        exactly: '["Austria","France"]',
      },
    ],
  },
  {
    id: 91,
    title: 'an empty selection has a sum of 0 and no other aggregate; nulls are not counted',
    fixture: salaries,
    steps: [
      { send: 'GET /rest/Employee/salary?$filter="salary<0"&$compute=sum', exactly: '0' },
      { send: 'GET /rest/Employee/salary?$filter="salary<0"&$compute=average', exactly: 'null' },
      { send: 'GET /rest/Employee/salary?$filter="salary<0"&$compute=min', exactly: 'null' },
      { send: 'GET /rest/Employee/salary?$filter="salary<0"&$compute=max', exactly: 'null' },
      { send: 'GET /rest/Employee/salary?$filter="salary<0"&$compute=count', exactly: '0' },
      { send: 'GET /rest/Employee/startDate?$compute=count', exactly: '2' },
    ],
  },
  {
    id: 'A1',
    title: 'a keyword returns a bare value',
    fixture: salaries,
    steps: [
      { send: 'GET /rest/Employee/salary?$compute=count', exactly: '4' },
      { send: 'GET /rest/Employee/salary?$compute=sum', exactly: '335000' },
      { send: 'GET /rest/Employee/salary?$compute=average', exactly: '83750' },
      { send: 'GET /rest/Employee/salary?$compute=min', exactly: '70000' },
      { send: 'GET /rest/Employee/salary?$compute=max', exactly: '99000' },
      { send: 'GET /rest/Employee/firstName?$compute=max', exactly: '"Victor"' },
      { send: 'GET /rest/Employee/startDate?$compute=min', exactly: '"1999-01-01T08:00:00.000Z"' },
    ],
  },
  {
    id: 'A2',
    title: '$compute covers the whole selection or entity set, not only the page',
    fixture: salaries,
    steps: [
      { send: 'GET /rest/Employee/salary?$compute=count&$skip=2&$top=1', exactly: '4' },
      {
        send: 'GET /rest/Employee?$filter="salary<90000"&$method=entityset',
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET /rest/Employee/salary/$entityset/{set.id}?$compute=sum', exactly: '236000' },
      {
        send: 'GET /rest/Employee/salary/$entityset/{set.id}?$distinct=true',
        exactly: '[70000,83000]',
      },
    ],
  },
  {
    id: 'A3',
    title: '$compute needs an attribute and a known keyword; strings have no sum',
    fixture: salaries,
    steps: [
      { send: 'GET /rest/Employee?$compute=count', status: 400, errors: [1816] },
      { send: 'GET /rest/Employee/salary?$compute=median', status: 400, errors: [1817] },
      { send: 'GET /rest/Employee/firstName?$compute=sum', status: 400 },
      { send: 'GET /rest/Employee?$distinct=true', status: 400, errors: [1816] },
    ],
  },
  {
    id: 'A4',
    title: '$distinct is paged by $skip and $top, and takes a single attribute',
    fixture: salaries,
    steps: [
      { send: 'GET /rest/Employee/salary?$distinct=true&$skip=1&$top=1', exactly: '[83000]' },
      { send: 'GET /rest/Employee/salary?$distinct=true&$skip=9', exactly: '[]' },
      { send: 'GET /rest/Employee/salary,firstName?$distinct=true', status: 400 },
    ],
  },
]
