import type { CaseTable } from '../case.ts'
import { absent, aSetAddress, contains, only, other } from '../expect.ts'
import { orders } from '../fixtures/orders.ts'
import { apple, people } from '../fixtures/people.ts'
import { specialities } from '../fixtures/specialities.ts'
import { wakanda } from '../fixtures/wakanda.ts'

const APPLE = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13']

/** A set of the people with keys 1 to 3 and one of those with 3 to 5. */
const TWO_SETS = [
  { send: 'GET /rest/People?$filter="ID<=3"&$method=entityset', keep: { A: '__ENTITYSET' } },
  {
    send: 'GET /rest/People?$filter="ID>=3 and ID<=5"&$method=entityset',
    keep: { B: '__ENTITYSET' },
  },
]

/** Selections stored on the server: lifetime, reading, combining. */
export const entitySets: CaseTable = [
  {
    id: 105,
    title: '$method=entityset stores the whole selection and replies with its address first',
    fixture: apple,
    steps: [
      {
        send: 'GET /rest/People?$filter="employer.name=Apple"&$savedfilter="employer.name=Apple"&$method=entityset&$top=50',
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
        keys: APPLE,
        reply: { __ENTITYSET: aSetAddress, __COUNT: 13, __SENT: 13 },
        replyHeaders: { 'content-location': '{set}' },
        keep: { set: '__ENTITYSET' },
      },
    ],
  },
  {
    id: 106,
    title: 'reading a set does not repeat its address',
    fixture: apple,
    steps: [
      {
        send: 'GET /rest/People?$filter="employer.name=Apple"&$savedfilter="employer.name=Apple"&$method=entityset',
        keep: { set: '__ENTITYSET' },
      },
      {
        send: 'GET {set}?$savedfilter="employer.name=Apple"',
        keys: APPLE,
        reply: { __ENTITYSET: absent, __COUNT: 13 },
      },
    ],
  },
  {
    id: 108,
    title: 'a released set is recreated only from a saved filter in the request',
    fixture: apple,
    steps: [
      {
        send:
          'GET /rest/People?$filter="lastName!=\'\'"&$orderby="salary"&$savedfilter="lastName!=\'\'"' +
          '&$savedorderby="salary"&$method=entityset&$top=2',
        keys: ['20', '19'],
        reply: { __COUNT: 19 },
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}?$method=release' },
      {
        send: 'GET {set}?$savedfilter="lastName!=\'\'"&$savedorderby="salary"&$top=2',
        keys: ['20', '19'],
        reply: { __COUNT: 19 },
      },
      { send: 'GET {set}?$method=release' },
      // Without a saved filter a released set stays unknown.
      { send: 'GET {set}?$savedorderby="salary"&$top=2', status: 404, errors: [1802] },
      {
        send: 'GET {set}?$savedfilter="lastName!=\'\'"&$top=2',
        keys: ['1', '2'],
        reply: { __COUNT: 19 },
      },
    ],
  },
  {
    id: 109,
    title: 'a set lives for $timeout seconds, by default for two hours',
    fixture: apple,
    options: { info: 'all' },
    steps: [
      { send: 'GET /rest/People?$method=entityset&$timeout=600', keep: { short: '__ENTITYSET' } },
      { send: 'GET /rest/People?$method=entityset', keep: { long: '__ENTITYSET' } },
      {
        send: 'GET /rest/$info',
        reply: {
          entitySetCount: 2,
          entitySet: [
            {
              id: '{short.id}',
              refreshed: '2024-01-31T12:30:15Z',
              expires: '2024-01-31T12:40:15Z',
            },
            { id: '{long.id}', refreshed: '2024-01-31T12:30:15Z', expires: '2024-01-31T14:30:15Z' },
          ],
        },
      },
    ],
  },
  {
    id: 111,
    title: 'a deleted member keeps its place and is counted; $clean creates a new set without it',
    fixture: specialities,
    steps: [
      {
        send: 'GET /rest/Speciality?$method=entityset',
        keys: ['1', '2', '3'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'DELETE /rest/Speciality(2)', reply: { ok: true } },
      {
        send: 'GET {set}',
        keys: ['1', null, '3'],
        reply: {
          __COUNT: 3,
          __SENT: 3,
          __ENTITIES: [{ __KEY: '1' }, only({ __STAMP: 0 }), { __KEY: '3' }],
        },
      },
      {
        send: 'GET {set}?$clean=true&$method=entityset',
        keys: ['1', '3'],
        reply: { __ENTITYSET: other('{set}'), __COUNT: 2 },
        keep: { clean: '__ENTITYSET' },
      },
      { send: 'GET {clean}', keys: ['1', '3'] },
      { send: 'GET {set}', keys: ['1', null, '3'], reply: { __COUNT: 3 } },
    ],
  },
  {
    id: 113,
    title: 'AND intersects two sets',
    fixture: people,
    steps: [
      ...TWO_SETS,
      {
        send: 'GET {A}?$logicOperator=AND&$otherCollection={B.id}',
        keys: ['3'],
        reply: { __ENTITYSET: absent },
      },
    ],
  },
  {
    id: 115,
    title: 'OR unites two sets; with $method=entityset it creates a new set',
    fixture: people,
    steps: [
      ...TWO_SETS,
      {
        send: 'GET {A}?$logicOperator=OR&$otherCollection={B.id}&$method=entityset',
        keys: ['1', '2', '3', '4'],
        reply: { __ENTITYSET: aSetAddress },
        keep: { union: '__ENTITYSET' },
      },
      { send: 'GET {union}', keys: ['1', '2', '3', '4'] },
      { send: 'GET {A}', keys: ['1', '2', '3'] },
    ],
  },
  {
    id: 117,
    title: 'a union has no duplicates: the first set, then the new members of the second',
    fixture: apple,
    steps: [
      {
        send: 'GET /rest/People?$filter="ID in [7, 3]"&$orderby=ID desc&$method=entityset',
        keep: { A: '__ENTITYSET' },
      },
      {
        send: 'GET /rest/People?$filter="ID in [3, 2]"&$method=entityset',
        keep: { B: '__ENTITYSET' },
      },
      {
        send: 'GET {A}?$logicOperator=or&$otherCollection={B.id}',
        keys: ['7', '3', '2'],
        reply: { __COUNT: 3 },
      },
    ],
  },
  {
    id: 118,
    title: '$method=subentityset stores related entities as a set of their dataclass',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users(4)/Orders?$expand=Orders&$method=subentityset',
        keys: ['10'],
        reply: {
          __ENTITYSET: contains('/rest/Orders/$entityset/'),
          __DATACLASS: 'Orders',
          __COUNT: 1,
        },
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}', keys: ['10'] },
      { send: 'GET /rest/Users?$method=subentityset', status: 400, errors: [1815] },
      { send: 'GET /rest/Users(4)/Orders?$method=subentityset', status: 400, errors: [1815] },
    ],
  },
  {
    id: 120,
    title: '$subOrderby sorts the related entities',
    fixture: wakanda,
    steps: [
      {
        send:
          'GET /rest/Company(126)/staff?$expand=staff&$method=subentityset' +
          '&$subOrderby="lastName desc, firstName asc"&$attributes=lastName',
        keys: ['2004', '2006', '2009', '2012', '2005', '2008', '2011', '2007', '2010'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}?$top=2', keys: ['2004', '2006'] },
    ],
  },
  {
    id: 121,
    title: 'all pages come from the same set',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Company?$limit=5&$method=entityset',
        keys: ['126', '127', '128', '129', '130'],
        keep: { set: '__ENTITYSET' },
      },
      {
        send: 'GET {set}?$limit=5&$skip=5',
        keys: ['131', '132', '133', '134', '135'],
        reply: { __COUNT: 62, __FIRST: 5 },
      },
      { send: 'GET {set}?$limit=5&$skip=60', keys: ['186', '187'], reply: { __SENT: 2 } },
    ],
  },
]
