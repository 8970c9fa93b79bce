import type { CaseTable } from '../case.ts'
import { absent, only } from '../expect.ts'
import { bank } from '../fixtures/customers.ts'

/** The rights that a user has on her own accounts. */
const HERS: ReadonlySet<string> = new Set(['read', 'update'])

/** What the permission hook allows. */
export const permissions: CaseTable = [
  {
    id: 'S9',
    title:
      'rows that a caller may not read are hidden on every path; a refused action is 403, or 401 for a guest',
    fixture: bank,
    options: {
      authorize: ({ dataClass, action, attribute }) => {
        if (dataClass !== 'Account' || action === 'describe' || attribute !== undefined) return true
        return HERS.has(action) && "owner = 'anna'"
      },
    },
    steps: [
      { send: 'GET /rest/Account', keys: ['1', '3'], reply: { __COUNT: 2 } },
      { send: 'GET /rest/Account(2)', status: 404, errors: [1543] },
      { send: 'GET /rest/Account?$filter="balance>=200"', keys: ['3'] },
      { send: 'GET /rest/Account/balance?$compute=sum', exactly: '400' },
      { send: 'GET /rest/Account/owner?$distinct=true', exactly: '["anna"]' },
      { send: 'GET /rest/Account?$format=dashboard', reply: { __COUNT: 2 } },
      { send: 'GET /rest/Branch(1)/accounts?$expand=accounts', keys: ['1'] },
      {
        send: 'GET /rest/Branch(1)?$attributes=accounts.owner',
        reply: { accounts: { __COUNT: 1 } },
      },
      { send: 'GET /rest/Branch?$filter="accounts.owner=bob"', keys: [] },
      {
        send: 'GET /rest/Account?$method=entityset',
        keys: ['1', '3'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}', keys: ['1', '3'] },
      { send: 'POST /rest/Account', body: { __KEY: '2', balance: 0 }, status: 404, errors: [1542] },
      { send: 'POST /rest/Account', body: { __KEY: '1', balance: 0 }, reply: { __STAMP: 2 } },
      { send: 'POST /rest/Account', body: { owner: 'anna' }, status: 401 },
      { as: 'anna', send: 'POST /rest/$directory/login', body: ['anna', 'secret'] },
      {
        as: 'anna',
        send: 'POST /rest/Account',
        body: { owner: 'anna' },
        status: 403,
        errors: [1559, 1534],
        reply: { __STATUS: only({ status: 1, statusText: 'Permission Error', success: false }) },
      },
      { as: 'anna', send: 'DELETE /rest/Account(1)', status: 403, errors: [1560] },
    ],
  },
  {
    id: 'S10',
    title: 'an attribute that a caller may not read is unknown on every path',
    fixture: bank,
    options: {
      authorize: ({ session, attribute }) =>
        attribute !== 'balance' || session?.user?.userName === 'anna',
    },
    steps: [
      { as: 'bob', send: 'GET /rest/Account(1)', reply: { owner: 'anna', balance: absent } },
      { as: 'bob', send: 'GET /rest/Account(1)/balance', status: 404, errors: [1500, 1804] },
      {
        as: 'bob',
        send: 'GET /rest/Account?$attributes=balance',
        status: 404,
        errors: [1500, 1804],
      },
      {
        as: 'bob',
        send: 'GET /rest/Account?$filter="balance>0"',
        status: 400,
        errors: [1500, 1201],
      },
      { as: 'bob', send: 'GET /rest/Account?$orderby=balance', status: 404, errors: [1500, 1810] },
      {
        as: 'bob',
        send: 'GET /rest/Account/balance?$compute=max',
        status: 404,
        errors: [1500, 1804],
      },
      {
        as: 'bob',
        send: 'GET /rest/$catalog/Account',
        reply: {
          dataClasses: [{ attributes: [{ name: 'ID' }, { name: 'owner' }, { name: 'branch' }] }],
        },
      },
      { as: 'anna', send: 'POST /rest/$directory/login', body: ['anna', 'secret'] },
      { as: 'anna', send: 'GET /rest/Account(1)', reply: { balance: 100 } },
    ],
  },
  {
    id: 'S11',
    title:
      'an attribute that a caller may not write is 403, or 401 for a guest; a rule of the dataclass comes first',
    fixture: bank,
    options: {
      authorize: ({ action, attribute }) =>
        action === 'create' ? false : action !== 'update' || attribute !== 'balance',
    },
    steps: [
      { send: 'POST /rest/Account(1)', body: { balance: 1 }, status: 401 },
      { send: 'POST /rest/Account', body: [{ __KEY: '1', balance: 1 }], status: 401 },
      { send: 'POST /rest/Account(1)', body: { balance: 100 }, reply: { __STAMP: 1 } },
      { send: 'POST /rest/Account', body: { owner: 'eve', balance: 1 }, status: 401 },
      { as: 'anna', send: 'POST /rest/$directory/login', body: ['anna', 'secret'] },
      {
        as: 'anna',
        send: 'POST /rest/Account(1)',
        body: { balance: 1 },
        status: 403,
        errors: [1608, 1517],
      },
      {
        as: 'anna',
        send: 'POST /rest/Account',
        body: { owner: 'eve', balance: 1 },
        status: 403,
        errors: [1559, 1534],
      },
    ],
  },
]
