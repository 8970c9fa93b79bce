import type { CaseTable } from '../case.ts'
import { absent, only } from '../expect.ts'
import { salaries } from '../fixtures/companies.ts'
import { orders } from '../fixtures/orders.ts'

const NUMBER = only({ conceptType: 'METRIC', semanticGroup: 'NUMERIC', semanticType: 'NUMBER' })
const TEXT = only({ conceptType: 'DIMENSION', semanticGroup: 'TEXT', semanticType: 'TEXT' })

/** `$asArray` and `$format`. */
export const formats: CaseTable = [
  {
    id: 152,
    title:
      '$asArray: a plain array without envelope, timestamps or relations; numeric keys are numbers',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users?$filter="Name begin u"&$top=3&$asArray=true',
        reply: [
          only({ __KEY: 1, __STAMP: 3, ID: 1, Name: 'user1', Email: 'user1@example.com' }),
          only({ __KEY: 2, __STAMP: 3, ID: 2, Name: 'user2', Email: 'user2@example.com' }),
          only({ __KEY: 3, __STAMP: 3, ID: 3, Name: 'user3', Email: 'user3@example.com' }),
        ],
      },
    ],
  },
  {
    id: 'F1',
    title: '$format=dashboard: a schema and rows',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users?$format=dashboard&$top=2&$skip=1',
        reply: only({
          schema: [
            only({ name: 'ID', dataType: 'NUMBER', semantics: NUMBER }),
            only({ name: 'Name', dataType: 'STRING', semantics: TEXT }),
            only({ name: 'Email', dataType: 'STRING', semantics: TEXT }),
          ],
          rows: [
            only({ values: [2, 'user2', 'user2@example.com'] }),
            only({ values: [3, 'user3', 'user3@example.com'] }),
          ],
          filtersApplied: false,
          __COUNT: 10,
          __FIRST: 1,
        }),
      },
      {
        send: 'GET /rest/Users?$format=looker&$top=1',
        reply: { filtersApplied: false, __COUNT: 10 },
      },
      { send: 'GET /rest/Users?$format=json&$top=1', keys: ['1'] },
      { send: 'GET /rest/Users?$format=xml', status: 400, errors: [1801] },
    ],
  },
  {
    id: 'F2',
    title: 'every scalar type has a column; dates are digit strings',
    fixture: salaries,
    steps: [
      {
        send: 'GET /rest/Employee?$format=dashboard&$filter="ID=1"&$attributes=salary,startDate,active',
        reply: {
          schema: [
            { name: 'salary', dataType: 'NUMBER' },
            {
              name: 'startDate',
              dataType: 'STRING',
              semantics: { conceptType: 'DIMENSION', semanticGroup: 'DATETIME' },
            },
            {
              name: 'active',
              dataType: 'BOOLEAN',
              semantics: only({
                conceptType: 'DIMENSION',
                semanticGroup: 'BOOLEAN',
                semanticType: 'BOOLEAN',
              }),
            },
          ],
          rows: [{ values: [70_000, '20010501080000', true] }],
          filtersApplied: true,
          __ENTITIES: absent,
        },
      },
      {
        send: 'GET /rest/Employee?$format=dashboard&$top=1',
        reply: {
          schema: [
            { name: 'ID' },
            { name: 'firstName' },
            { name: 'salary' },
            { name: 'startDate' },
            { name: 'active' },
          ],
        },
      },
    ],
  },
  {
    id: 'F3',
    title: 'relations in a plain array',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users?$filter="ID=4"&$asArray=true&$expand=Orders',
        reply: [{ __KEY: 4, Orders: [{ __KEY: 10, Quantity: 2 }] }],
      },
    ],
  },
]
