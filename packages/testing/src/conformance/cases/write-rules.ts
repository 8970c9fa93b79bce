import type { CaseTable } from '../case.ts'
import { absent, contains, deferred, only } from '../expect.ts'
import { bank } from '../fixtures/customers.ts'
import { employees } from '../fixtures/employees.ts'

const SUCCESS = only({ success: true })

/** Batches state by state, and rules for writes that no sample shows. */
export const writeRules: CaseTable = [
  {
    id: 'W1',
    title: 'pending batch -> committed: all actions of a batch succeed, and all changes are saved',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update&$atOnce=true',
        body: [{ __KEY: '1', __STAMP: 5, salary: 1 }, { firstName: 'New' }],
        keys: ['1', '613'],
        reply: {
          __ENTITIES: [
            { __STATUS: SUCCESS, __STAMP: 6, salary: 1 },
            { __STATUS: SUCCESS, __STAMP: 1 },
          ],
        },
      },
      { send: 'GET /rest/Employee(613)', reply: { firstName: 'New' } },
    ],
  },
  {
    id: 'W2',
    title: 'pending batch -> canceled: an action fails, and the earlier ones are undone',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update&$atomic=true',
        body: [
          { __KEY: '1', firstName: 'Changed' },
          { firstName: 'New' },
          { __KEY: '999', firstName: 'Nobody' },
        ],
        status: 404,
        errors: [1542],
        reply: {
          __ENTITIES: [
            { __KEY: '1' },
            { __KEY: absent },
            { __KEY: '999', __ERROR: [{ errCode: 1542 }] },
          ],
        },
      },
      { send: 'GET /rest/Employee(1)', reply: { firstName: 'John', __STAMP: 5 } },
      { send: 'POST /rest/Employee', body: { firstName: 'Next' }, reply: { __KEY: '613' } },
    ],
  },
  {
    id: 'W3',
    title: 'an array may mix updates and creations',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update',
        body: [{ __KEY: '22', __STAMP: 1, firstName: 'Robert' }, { firstName: 'New' }],
        keys: ['22', '613'],
        reply: { __ENTITIES: [{ __STAMP: 2, lastName: 'Twentytwo' }, { __STAMP: 1 }] },
      },
    ],
  },
  {
    id: 'W4',
    title: 'without __STAMP an update is not checked; an update without changes keeps the stamp',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=update',
        body: { __KEY: '1', firstName: 'Jon' },
        reply: { __STAMP: 6 },
      },
      {
        send: 'POST /rest/Employee?$method=update',
        body: { __KEY: '1', firstName: 'Jon' },
        reply: { __STAMP: 6 },
      },
    ],
  },
  {
    id: 'W5',
    title: 'relations in every form: a key, __KEY, the deferred form, null',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '22', employer: 1 },
        reply: { employer: deferred('/rest/Company[1]', { __KEY: '1' }) },
      },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '22', employer: { __KEY: '2' } },
        reply: { employer: { __deferred: { __KEY: '2' } } },
      },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '22', employer: { __deferred: { uri: '/rest/Company[1]', __KEY: '1' } } },
        reply: { employer: { __deferred: { __KEY: '1' } } },
      },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '22', employer: null },
        reply: { employer: null },
      },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '22', employer: 99 },
        status: 422,
        errors: [9033, 1517],
      },
    ],
  },
  {
    id: 'W6',
    title: 'the reasons to refuse a save',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee',
        body: { salary: -1 },
        status: 422,
        errors: [1568, 1570, 1534],
      },
      {
        send: 'POST /rest/Employee',
        body: { badge: 'wrong' },
        status: 422,
        errors: [1571, 1570, 1534],
      },
      {
        send: 'POST /rest/Employee',
        body: { lastName: 'x'.repeat(21) },
        status: 422,
        errors: [1592, 1570, 1534],
      },
      {
        send: 'POST /rest/Employee',
        body: { grade: null },
        status: 422,
        reply: { __STATUS: { status: 4 } },
      },
      {
        send: 'POST /rest/Employee',
        body: { badge: 'A1' },
        status: 409,
        errors: [9030, 1534],
        reply: { __STATUS: { status: 4 } },
      },
      { send: 'POST /rest/Employee', body: { ID: 1 }, status: 409, errors: [1545, 1534] },
      {
        send: 'POST /rest/Employee',
        body: { lastName: 'Nobody' },
        status: 422,
        reply: {
          __STATUS: { status: 8, statusText: 'Serious Validation Error' },
          __ERROR: contains({ errCode: 10_001, componentSignature: 'app' }),
        },
      },
      { send: 'POST /rest/Employee', body: { salary: 'much' }, status: 400, errors: [9032, 1534] },
      { send: 'POST /rest/Employee', body: { nosuch: 1 }, status: 400, errors: [1500, 1534] },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '1', fullName: 'X Y' },
        status: 400,
        errors: [1516, 1517],
      },
      { send: 'GET /rest/Employee?$top=0', reply: { __COUNT: 10 } },
    ],
  },
  {
    id: 'W7',
    title: '$method=insert creates only',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=insert',
        body: { __KEY: '1', firstName: 'x' },
        status: 400,
        reply: { __ERROR: contains({ errCode: 9109 }) },
      },
      {
        send: 'POST /rest/Employee?$method=insert',
        body: { firstName: 'x' },
        reply: { __KEY: '613', __STAMP: 1 },
      },
    ],
  },
  {
    id: 'W8',
    title: 'entities are deleted by a filter; with $atomic all of them or none',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Company?$filter="ID>0"&$method=delete&$atomic=true',
        status: 409,
        errors: [9034, 1518],
      },
      { send: 'GET /rest/Company', keys: ['1', '2', '3'] },
      { send: 'POST /rest/Company?$filter="name=Empty"&$method=delete', exactly: '{"ok":true}' },
      { send: 'GET /rest/Company', keys: ['1', '2'] },
      { send: 'POST /rest/Company?$filter="ID>99"&$method=delete', exactly: '{"ok":true}' },
      { send: 'POST /rest/Company?$filter="ID > > 1"&$method=delete', status: 400 },
      { send: 'POST /rest/Company?$method=delete', status: 400, errors: [1813] },
      { send: 'GET /rest/Company', keys: ['1', '2'] },
    ],
  },
  {
    id: 'W9',
    title: 'with $filter, items outside the filter count as missing',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$filter="ID<10"&$orderby=ID&$atomic=true',
        body: [
          { __KEY: '1', firstName: 'In' },
          { __KEY: '22', firstName: 'Out' },
        ],
        status: 404,
        errors: [1542],
      },
      { send: 'GET /rest/Employee(1)', reply: { firstName: 'John' } },
    ],
  },
  {
    id: 'W10',
    title: 'If-Match checks the stamp of an entity; If-None-Match avoids an unchanged reply',
    fixture: employees,
    steps: [
      {
        send: 'GET /rest/Employee(1)?$attributes=firstName',
        replyHeaders: { etag: contains('"5-') },
      },
      {
        send: 'GET /rest/Employee(1)?$attributes=firstName',
        headers: { 'if-none-match': '{etag}' },
        status: 304,
        exactly: '',
      },
      { send: 'GET /rest/Employee(1)?$attributes=firstName', headers: { 'if-none-match': '"4"' } },
      {
        send: 'PUT /rest/Employee(1)',
        headers: { 'if-match': '"4"' },
        body: { firstName: 'x' },
        status: 412,
        errors: [9110],
      },
      {
        send: 'PUT /rest/Employee(1)',
        headers: { 'if-match': '"5"' },
        body: { firstName: 'x' },
        reply: { __STAMP: 6 },
      },
    ],
  },
  {
    id: 'W11',
    title: 'GET never writes; a body that is not JSON saves nothing',
    fixture: employees,
    steps: [
      { send: 'GET /rest/Employee(1)?$method=delete', status: 405, errors: [9105] },
      { send: 'GET /rest/Employee?$method=update', status: 405, errors: [9105] },
      { send: 'POST /rest/Employee', body: '{"firstName":', status: 400, errors: [9102] },
      { send: 'POST /rest/Employee', body: '"text"', status: 400, errors: [9102] },
      {
        send: 'POST /rest/Employee',
        body: '{"firstName":"x","__STMP":1}',
        status: 400,
        errors: [9102, 1534],
      },
    ],
  },
  {
    id: 'W12',
    title:
      'the body may be form-encoded; PUT also saves; __ENTITIES is an array or one entity; __ISNEW is ignored',
    fixture: bank,
    steps: [
      {
        send: 'POST /rest/Branch?$method=update',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: '{"city":"L%27Aquila %28IT%29%21"}',
        reply: { city: "L'Aquila (IT)!" },
      },
      {
        send: 'PUT /rest/Branch',
        body: { __ENTITIES: [{ __KEY: '1', city: 'Nice' }] },
        reply: { __ENTITIES: [{ city: 'Nice' }] },
      },
      {
        send: 'POST /rest/Branch',
        body: { __ENTITIES: { __KEY: '1', __ISNEW: false, city: 'Pisa' } },
        reply: { __KEY: '1', city: 'Pisa' },
      },
      { send: 'POST /rest/Branch', body: { __ENTITIES: 'Pisa' }, status: 400, errors: [9102] },
      {
        send: 'POST /rest/Branch',
        body: { __KEY: { ID: 2 }, city: 'Milan' },
        reply: { __KEY: '2', city: 'Milan' },
      },
    ],
  },
]
