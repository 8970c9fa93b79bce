import type { CaseTable } from '../case.ts'
import { absent, aDateTime, aNumber, aSetAddress, contains, deferred, only } from '../expect.ts'
import { companies, textKeys } from '../fixtures/companies.ts'
import { employees } from '../fixtures/employees.ts'
import { orders, twoUsers } from '../fixtures/orders.ts'
import { people } from '../fixtures/people.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** Single entities and selections, keys, attributes in the path, the envelope. */
export const reads: CaseTable = [
  {
    id: 1,
    title: 'a dataclass returns an envelope, with __SENT last',
    fixture: twoUsers,
    note: 'The sample shows a __GlobalStamp of 0; it is a counter of commits here.',
    steps: [
      {
        send: 'GET /rest/Users',
        reply: only({
          __DATACLASS: 'Users',
          __entityModel: 'Users',
          __GlobalStamp: aNumber,
          __COUNT: 2,
          __FIRST: 0,
          __ENTITIES: [
            only({
              __KEY: '2',
              __TIMESTAMP: aDateTime,
              __STAMP: 1,
              ID: 2,
              Name: 'user2',
              Email: 'user2@example.com',
              Orders: deferred('/rest/Users[2]/Orders?$expand=Orders'),
            }),
            { __KEY: '1', Name: 'user1' },
          ],
          __SENT: 2,
        }),
      },
    ],
  },
  {
    id: 3,
    title: 'Dataclass:attribute(value) returns one entity, without envelope',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users:Name(user1)',
        reply: {
          __entityModel: 'Users',
          __DATACLASS: 'Users',
          __KEY: '1',
          Name: 'user1',
          __COUNT: absent,
          __ENTITIES: absent,
        },
      },
      { send: 'GET /rest/Users:Name(nobody)', status: 404, errors: [1543] },
    ],
  },
  {
    id: 6,
    title: 'attributes in the path, of one entity',
    fixture: companies,
    steps: [
      {
        send: 'GET /rest/Company(1)/name,address',
        reply: only({
          __entityModel: 'Company',
          __DATACLASS: 'Company',
          __KEY: '1',
          __TIMESTAMP: aDateTime,
          __STAMP: 1,
          name: 'Adobe',
          address: null,
        }),
      },
    ],
  },
  {
    id: 8,
    title: 'text keys, quoted or bare',
    fixture: textKeys,
    steps: [
      {
        send: 'GET /rest/Company("IT0911AB2200")',
        reply: { __KEY: 'IT0911AB2200', name: 'Pizza & Figli' },
      },
      { send: 'GET /rest/Company(IT0911AB2200)', reply: { __KEY: 'IT0911AB2200' } },
      { send: "GET /rest/Company['IT0911AB2200']", reply: { __KEY: 'IT0911AB2200' } },
    ],
  },
  {
    id: 9,
    title: 'attributes in the path, of all entities',
    fixture: people,
    steps: [
      {
        send: 'GET /rest/People/firstName,lastName/',
        reply: {
          __COUNT: 4,
          __FIRST: 0,
          __SENT: 4,
          __ENTITIES: [
            only({
              __KEY: '1',
              __TIMESTAMP: aDateTime,
              __STAMP: 1,
              firstName: 'John',
              lastName: 'Smith',
            }),
            { __KEY: '2', firstName: 'Susan', lastName: "O'Leary" },
            { __KEY: '3', firstName: 'Pete', lastName: 'Marley' },
            { __KEY: '4', firstName: 'Beth', lastName: 'Adams' },
          ],
        },
      },
    ],
  },
  {
    id: 11,
    title: 'attributes in the path, of one person',
    fixture: people,
    steps: [
      {
        send: 'GET /rest/People(3)/firstName,lastName/',
        names: [
          '__entityModel',
          '__DATACLASS',
          '__KEY',
          '__TIMESTAMP',
          '__STAMP',
          'firstName',
          'lastName',
        ],
        reply: {
          __entityModel: 'People',
          __KEY: '3',
          __STAMP: 2,
          firstName: 'Pete',
          lastName: 'Marley',
        },
      },
    ],
  },
  {
    id: 12,
    title: 'a whole entity: relations are deferred, computed attributes and aliases have values',
    fixture: people,
    steps: [
      {
        send: 'GET /rest/People(3)/',
        reply: {
          salary: 30_000,
          employer: deferred('/rest/Company[3]', { __KEY: '3' }),
          fullName: 'Pete Marley',
          employerName: 'microsoft',
        },
        replyHeaders: { etag: absent },
      },
      {
        send: 'GET /rest/Company[3]',
        reply: { __KEY: '3', name: 'microsoft' },
        replyHeaders: { etag: contains('"1-') },
      },
    ],
  },
  {
    id: 13,
    title: 'attributes of the entities of a set, through a relation',
    fixture: people,
    steps: [
      {
        send: 'GET /rest/People?$filter="employer != null"&$method=entityset',
        keys: ['2', '3'],
        keep: { set: '__ENTITYSET' },
      },
      {
        send: 'GET /rest/People/firstName,employer.name/$entityset/{set.id}?$expand=employer',
        reply: {
          __ENTITIES: [
            only({
              __KEY: '2',
              __TIMESTAMP: aDateTime,
              __STAMP: 1,
              firstName: 'Susan',
              employer: only({ __KEY: '1', __TIMESTAMP: aDateTime, __STAMP: 1, name: 'Apple' }),
            }),
            { firstName: 'Pete', employer: { __KEY: '3', name: 'microsoft' } },
          ],
        },
      },
    ],
  },
  {
    id: 14,
    title: 'an entity that does not exist is 404, error 1543',
    fixture: employees,
    note: 'One recording has the status 401.',
    steps: [
      {
        send: 'GET /rest/Employee(404)',
        status: 404,
        errors: [1543],
        reply: {
          __ERROR: [
            {
              componentSignature: 'dbmg',
              message: 'Cannot load entity# 404 in the "Employee" dataclass.',
            },
          ],
        },
      },
    ],
  },
  {
    id: 16,
    title: 'nulls are sent as null, objects as objects',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Product?$limit=1&$method=entityset',
        names: [
          '__ENTITYSET',
          '__DATACLASS',
          '__entityModel',
          '__GlobalStamp',
          '__COUNT',
          '__FIRST',
          '__ENTITIES',
          '__SENT',
        ],
        reply: {
          __ENTITYSET: aSetAddress,
          __COUNT: 26,
          __SENT: 1,
          __ENTITIES: [
            {
              __KEY: '55',
              name: 'apple',
              spec: { colour: 'red', size: { height: 7 } },
              born: null,
              myNumber: null,
              myBoolean: null,
            },
          ],
        },
      },
    ],
  },
]
