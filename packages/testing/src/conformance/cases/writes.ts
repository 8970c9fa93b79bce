import type { CaseTable } from '../case.ts'
import { absent, aDay, contains, deferred, only } from '../expect.ts'
import { employees } from '../fixtures/employees.ts'
import { orders } from '../fixtures/orders.ts'
import { wakanda } from '../fixtures/wakanda.ts'

const SUCCESS = only({ success: true })
const STALE = { status: 2, statusText: 'Stamp has changed', success: false }

/** Creating and changing entities, one by one, in arrays and atomically. */
export const writes: CaseTable = [
  {
    id: 122,
    title: 'an update changes the given attributes and increments the stamp',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee/?$method=update',
        body: { __KEY: '340', __STAMP: 2, firstName: 'Pete', lastName: 'Miller' },
        reply: { __KEY: '340', __STAMP: 3, firstName: 'Pete', lastName: 'Miller', grade: 3 },
      },
      { send: 'GET /rest/Employee(340)', reply: { __STAMP: 3, firstName: 'Pete', grade: 3 } },
    ],
  },
  {
    id: 124,
    title: 'the shape of the reply to a creation',
    fixture: orders,
    steps: [
      {
        send: 'POST /rest/Users?$method=update',
        body: { Name: 'new', Email: null },
        reply: only({
          __STATUS: SUCCESS,
          __KEY: '11',
          __STAMP: 1,
          uri: '/rest/Users[11]',
          __TIMESTAMP: '!!2024-01-31!!',
          ID: 11,
          Name: 'new',
          Email: null,
          Orders: deferred('/rest/Users[11]/Orders?$expand=Orders'),
        }),
      },
    ],
  },
  {
    id: 125,
    title: 'an update of a missing entity is 404, error 1542',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update',
        body: { __KEY: '98712764', firstName: 'x' },
        status: 404,
        errors: [1542],
        reply: {
          __ERROR: [
            { message: 'Cannot find entity with "98712764" key in the "Employee" dataclass.' },
          ],
        },
      },
    ],
  },
  {
    id: 127,
    title: 'in an array, the stale item is refused and the current one saved',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update',
        body: [
          { __KEY: '309', __STAMP: 9, firstName: 'Stale' },
          { __KEY: '612', __STAMP: 3, firstName: 'Gustav' },
        ],
        status: 207,
        reply: {
          __ENTITIES: [
            {
              __STATUS: only(STALE),
              __KEY: '309',
              __STAMP: 1,
              firstName: 'Maria',
              __ERROR: [{ errCode: 1263 }, { errCode: 1046 }, { errCode: 1517 }],
            },
            { __STATUS: SUCCESS, __KEY: '612', __STAMP: 4, firstName: 'Gustav' },
          ],
        },
      },
    ],
  },
  {
    id: 129,
    title: '$method=validate is an unknown method',
    fixture: employees,
    wrong:
      'It is not part of the interface; $refresh=true previews the result of a save and its refusals.',
    steps: [
      {
        send: 'POST /rest/Employee?$method=validate',
        body: [{ __KEY: '1', salary: 75_000 }],
        status: 400,
        errors: [1812],
      },
      {
        send: 'POST /rest/Employee?$refresh=true',
        body: { salary: 75_000 },
        status: 422,
        errors: [1569, 1570, 1534],
        reply: { __STATUS: { status: 7, statusText: 'Mild Validation Error', success: false } },
      },
      {
        send: 'POST /rest/Employee?$refresh=true',
        body: { firstName: 'Would', lastName: 'Be' },
        reply: { __KEY: absent, __STAMP: 0, fullName: 'Would Be' },
      },
      { send: 'GET /rest/Employee?$top=1', reply: { __COUNT: 10 } },
    ],
  },
  {
    id: 130,
    title: '$atomic: one failing item cancels all',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update&$atomic=true',
        body: [
          { __KEY: '1', __STAMP: 5, salary: 45_000 },
          { __KEY: '2', __STAMP: 2, salary: 99_000 },
        ],
        status: 422,
        errors: [1569, 1570, 1517],
        reply: {
          __ENTITIES: [
            { __KEY: '1', __ERROR: absent },
            {
              __KEY: '2',
              salary: 36_000,
              __ERROR: [
                { errCode: 1569, message: contains('60000') },
                { errCode: 1570 },
                { errCode: 1517, message: contains('"Employee"') },
              ],
            },
          ],
        },
      },
      { send: 'GET /rest/Employee(1)', reply: { __STAMP: 5, salary: 36_004 } },
    ],
  },
  {
    id: 132,
    title: '$atomic without $method is an update; an array returns an array',
    fixture: orders,
    note: 'The sample returns only the single element of the array.',
    steps: [
      {
        send: 'POST /rest/Users?$atomic=true',
        body: [{ __KEY: 9, Name: 'Harry' }],
        reply: only({
          __ENTITIES: [
            only({
              __STATUS: SUCCESS,
              __KEY: '9',
              __STAMP: 4,
              uri: '/rest/Users[9]',
              __TIMESTAMP: aDay,
              ID: 9,
              Name: 'Harry',
              Email: 'user9@example.com',
              Orders: deferred('/rest/Users[9]/Orders?$expand=Orders'),
            }),
          ],
        }),
      },
    ],
  },
  {
    id: 133,
    title: '$method=insert with $atOnce: both or none',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=insert&$atOnce=true',
        body: [{ firstName: 'A' }, { firstName: 'B', salary: 99_000 }],
        status: 422,
        errors: [1569, 1570, 1534],
      },
      { send: 'GET /rest/Employee?$top=0', reply: { __COUNT: 10 } },
      {
        send: 'POST /rest/Employee?$method=insert&$atOnce=true',
        body: [{ firstName: 'A' }, { firstName: 'B' }],
        keys: ['613', '614'],
      },
      { send: 'GET /rest/Employee?$top=0', reply: { __COUNT: 12 } },
    ],
  },
  {
    id: 140,
    title: '$expand in the reply to an update',
    fixture: wakanda,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update&$expand=employer',
        body: { __KEY: '2014', firstName: 'Arnaud' },
        reply: {
          __STAMP: 2,
          firstName: 'Arnaud',
          lastName: 'MUDIKATU',
          salary: 64_288,
          employer: { __KEY: '137', staff: deferred('/rest/Company[137]/staff?$expand=staff') },
        },
      },
    ],
  },
  {
    id: 142,
    title: 'an object is stored as a whole',
    fixture: wakanda,
    steps: [
      {
        send: 'POST /rest/Product?$method=update',
        body: { __KEY: '55', __STAMP: 1, spec: { foo: 'bar' } },
        reply: { __STAMP: 2, spec: only({ foo: 'bar' }) },
      },
      {
        send: 'POST /rest/Product?$method=update',
        body: { __KEY: '55', __STAMP: 2, spec: { foo: 'bar', baz: 1136 } },
        reply: { __STAMP: 3, spec: only({ foo: 'bar', baz: 1136 }) },
      },
    ],
  },
  {
    id: 143,
    title: 'empty texts, 0 and false are values',
    fixture: wakanda,
    steps: [
      {
        send: 'POST /rest/Product?$method=update',
        body: { __KEY: '60', name: '', myNumber: 0, myBoolean: false },
        reply: { __STAMP: 2, name: '', myNumber: 0, myBoolean: false },
      },
      { send: 'GET /rest/Product(60)', reply: { name: '', myNumber: 0, myBoolean: false } },
    ],
  },
  {
    id: 144,
    title: 'the second of two saves with the same stamp is stale',
    fixture: wakanda,
    steps: [
      { as: 'anna', send: 'GET /rest/Product(58)', reply: { __STAMP: 1 } },
      { as: 'bob', send: 'GET /rest/Product(58)', reply: { __STAMP: 1 } },
      {
        as: 'anna',
        send: 'POST /rest/Product?$method=update',
        body: { __KEY: '58', __STAMP: 1, name: 'hers' },
      },
      {
        as: 'bob',
        send: 'POST /rest/Product?$method=update',
        body: { __KEY: '58', __STAMP: 1, name: 'his' },
        status: 409,
        errors: [1263, 1046, 1517],
        reply: { __STATUS: only(STALE), __KEY: '58', __STAMP: 2, name: 'hers' },
      },
    ],
  },
]
