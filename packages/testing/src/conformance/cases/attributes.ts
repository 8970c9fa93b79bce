import type { CaseTable } from '../case.ts'
import { aDateTime, aNumber, beginning, deferred, list, only } from '../expect.ts'
import { bigCompany } from '../fixtures/companies.ts'
import { orders } from '../fixtures/orders.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** `$attributes` and `$expand`. */
export const attributes: CaseTable = [
  {
    id: 92,
    title: 'two attributes of one entity; a calendar date is written between !!',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Payments[1]?$attributes=Amount,PaymentDate',
        names: [
          '__entityModel',
          '__DATACLASS',
          '__KEY',
          '__TIMESTAMP',
          '__STAMP',
          'Amount',
          'PaymentDate',
        ],
        reply: { Amount: 124, PaymentDate: '!!2024-01-01!!' },
      },
    ],
  },
  {
    id: 93,
    title: 'a relation in its simple form',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders(1)?$attributes=Purchaser',
        names: ['__entityModel', '__DATACLASS', '__KEY', '__TIMESTAMP', '__STAMP', 'Purchaser'],
        reply: { Purchaser: deferred('/rest/Users[1]', { __KEY: '1' }) },
      },
    ],
  },
  {
    id: 95,
    title: 'an attribute of a related entity',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders(1)?$attributes=Purchaser.Name',
        reply: {
          Purchaser: only({ __KEY: '1', __TIMESTAMP: aDateTime, __STAMP: 3, Name: 'user1' }),
        },
      },
    ],
  },
  {
    id: 97,
    title: 'an attribute of related entities',
    fixture: bigCompany,
    note: 'The sample shows a __GlobalStamp of 50; it is a counter of commits here.',
    steps: [
      {
        send: 'GET /rest/Company(1)/?$attributes=employees.lastname',
        reply: {
          employees: only({
            __ENTITYSET: '/rest/Company[1]/employees?$expand=employees',
            __GlobalStamp: aNumber,
            __COUNT: 135,
            __FIRST: 0,
            __ENTITIES: beginning(100, [
              only({ __KEY: '1', __TIMESTAMP: aDateTime, __STAMP: 1, lastname: 'ESSEAL' }),
              { __KEY: '2', lastname: 'JONES' },
            ]),
            __SENT: 100,
          }),
        },
      },
      {
        send: 'GET /rest/Company[1]/employees?$expand=employees',
        reply: { __DATACLASS: 'Employee', __COUNT: 135 },
      },
    ],
  },
  {
    id: 99,
    title: 'a path through a to-one relation to a to-many relation',
    fixture: bigCompany,
    steps: [
      {
        send: 'GET /rest/Employee(136)?$attributes=employer.employees.lastname',
        reply: {
          employer: only({
            __KEY: '2',
            __TIMESTAMP: aDateTime,
            __STAMP: 1,
            employees: {
              __COUNT: 1,
              __ENTITIES: [
                only({ __KEY: '136', __TIMESTAMP: aDateTime, __STAMP: 1, lastname: 'LONELY' }),
              ],
            },
          }),
        },
      },
    ],
  },
  {
    id: 100,
    title: 'two attributes of related entities are merged',
    fixture: bigCompany,
    steps: [
      {
        send: 'GET /rest/Company(2)/?$attributes=employees.lastname,employees.jobname',
        reply: {
          employees: {
            __ENTITIES: [
              only({
                __KEY: '136',
                __TIMESTAMP: aDateTime,
                __STAMP: 1,
                lastname: 'LONELY',
                jobname: 'director',
              }),
            ],
          },
        },
      },
    ],
  },
  {
    id: 101,
    title: '$expand embeds a related entity and defers its relations',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee(2004)?$expand=employer',
        reply: {
          lastName: 'SYNO',
          firstName: 'INGRID',
          birthDate: '1941-09-24T11:31:07.652Z',
          hiringDate: '!!2002-01-04!!',
          employer: only({
            __KEY: '126',
            __TIMESTAMP: aDateTime,
            __STAMP: 1,
            ID: 126,
            name: 'Listbox Dolphin Eye',
            staff: deferred('/rest/Company[126]/staff?$expand=staff'),
          }),
        },
      },
    ],
  },
  {
    id: 103,
    title: '$expand of a path expands each step',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee?$expand=employer.staff&$limit=3&$method=entityset',
        keys: ['2004', '2005', '2006'],
        reply: {
          __ENTITIES: list(3, {
            employer: {
              __KEY: '126',
              name: 'Listbox Dolphin Eye',
              staff: {
                __COUNT: 9,
                __SENT: 9,
                __ENTITIES: list(9, { employer: deferred('/rest/Company[126]', { __KEY: '126' }) }),
              },
            },
          }),
        },
      },
    ],
  },
  {
    id: 'T1',
    title: 'a path that ends in * selects all attributes of the related entity',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders(1)?$attributes=Purchaser.*',
        reply: {
          Purchaser: only({
            __KEY: '1',
            __TIMESTAMP: aDateTime,
            __STAMP: 3,
            ID: 1,
            Name: 'user1',
            Email: 'user1@example.com',
            Orders: deferred('/rest/Users[1]/Orders?$expand=Orders'),
          }),
        },
      },
      {
        send: 'GET /rest/Users(4)?$attributes=Orders.*',
        reply: {
          Orders: {
            __ENTITIES: [
              { __KEY: '10', Quantity: 2, Purchaser: deferred('/rest/Users[4]', { __KEY: '4' }) },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'T2',
    title: 'all attributes are returned without $attributes and for *',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders(1)?$attributes=*',
        names: [
          '__entityModel',
          '__DATACLASS',
          '__KEY',
          '__TIMESTAMP',
          '__STAMP',
          'ID',
          'Quantity',
          'Purchaser',
          'OrderedProduct',
          'paymentsSelection',
        ],
      },
    ],
  },
  {
    id: 'T3',
    title: 'unknown names are 404: 1804 in lists of attributes, 1805 in $expand',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Orders(1)?$attributes=nosuch', status: 404, errors: [1500, 1804] },
      { send: 'GET /rest/Orders/Quantity,nosuch', status: 404, errors: [1500, 1804] },
      { send: 'GET /rest/Orders?$attributes=Purchaser.nosuch', status: 404, errors: [1500, 1804] },
      { send: 'GET /rest/Orders?$expand=nosuch', status: 404, errors: [1500, 1805] },
    ],
  },
  {
    id: 'T4',
    title: '$expand, $attributes, $orderby, $top, $skip and $filter together',
    fixture: orders,
    steps: [
      {
        send:
          'GET /rest/Orders?$filter="Quantity > 3"&$orderby=Quantity desc, ID&$skip=1&$top=2' +
          '&$attributes=Quantity,Purchaser&$expand=Purchaser',
        keys: ['13', '5'],
        reply: { __FIRST: 1, __SENT: 2, __ENTITIES: list(2, { Purchaser: { Name: 'user3' } }) },
      },
    ],
  },
  {
    id: 'T5',
    title: 'an empty relation is null',
    fixture: wakanda,
    steps: [
      { send: 'GET /rest/Employee(3006)/employer', exactly: 'null' },
      { send: 'GET /rest/Employee(3006)?$attributes=employer', reply: { employer: null } },
      { send: 'GET /rest/Employee(3006)?$attributes=employer.name', reply: { employer: null } },
    ],
  },
]
