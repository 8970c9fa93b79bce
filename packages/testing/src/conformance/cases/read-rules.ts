import type { CaseTable } from '../case.ts'
import { contains } from '../expect.ts'
import { textKeys } from '../fixtures/companies.ts'
import { orders } from '../fixtures/orders.ts'

/** Keys, relation paths, pages and verbs: rules of the interface that no sample shows. */
export const readRules: CaseTable = [
  {
    id: 'R1',
    title: 'both forms of a key, with or without a trailing slash, are equivalent',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Users(7)', reply: { Name: 'user7' } },
      { send: 'GET /rest/Users[7]', reply: { Name: 'user7' } },
      { send: 'GET /rest/Users[7]/', reply: { Name: 'user7' } },
    ],
  },
  {
    id: 'R2',
    title: 'emitted addresses can be requested unchanged for any key',
    fixture: textKeys,
    steps: [
      {
        send: 'POST /rest/Company',
        body: { __KEY: 'FR/1 "a"', name: 'Fromages' },
        keep: { uri: 'uri' },
      },
      { send: 'GET {uri}', reply: { __KEY: 'FR/1 "a"', name: 'Fromages' } },
    ],
  },
  {
    id: 'R3',
    title: 'a to-one and a to-many relation can be followed, filtered, ordered and paged',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders(10)/Purchaser',
        reply: { __entityModel: 'Users', __KEY: '4', Name: 'user4' },
      },
      {
        send: 'GET /rest/Orders(1)/paymentsSelection?$expand=paymentsSelection',
        reply: { __DATACLASS: 'Payments', __COUNT: 20 },
      },
      {
        send: 'GET /rest/Orders(1)/paymentsSelection?$filter="Amount != 0"&$orderby=Amount desc&$top=2',
        keys: ['1', '3'],
        reply: { __COUNT: 3 },
      },
    ],
  },
  {
    id: 'R4',
    title: '$top and $limit are interchangeable; both are allowed if they are equal',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Users?$top=2', keys: ['1', '2'] },
      { send: 'GET /rest/Users?$limit=2', keys: ['1', '2'] },
      { send: 'GET /rest/Users?$limit=2&$top=2', keys: ['1', '2'] },
      { send: 'GET /rest/Users?$limit=2&$top=3', status: 400, errors: [9100] },
      { send: 'GET /rest/Users?$top=0', keys: [], reply: { __COUNT: 10, __SENT: 0 } },
      { send: 'GET /rest/Users?$skip=-5&$top=1', keys: ['1'] },
    ],
  },
  {
    id: 'R5',
    title: 'HEAD behaves as GET, OPTIONS lists the verbs, and a refused verb lists them too',
    fixture: orders,
    steps: [
      { send: 'HEAD /rest/Users(1)', exactly: '', replyHeaders: { etag: contains('"3-') } },
      {
        send: 'OPTIONS /rest/Users(1)',
        replyHeaders: { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' },
      },
      {
        send: 'PATCH /rest/Users(1)',
        status: 405,
        replyHeaders: { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' },
      },
      { send: 'POST /rest/$info', status: 405, replyHeaders: { allow: 'GET, HEAD, OPTIONS' } },
    ],
  },
]
