import type { CaseTable, Step } from '../case.ts'
import { absent, aText, contains, only } from '../expect.ts'
import { customers } from '../fixtures/customers.ts'

const YES = '{"result":true,"__STATUS":{"success":true}}'
const REFUSED = {
  result: false,
  __STATUS: {
    status: 3,
    statusText: 'Already locked',
    lockKind: 7,
    lockKindText: 'Locked by session',
  },
}
const annaLocks: Step = { as: 'anna', send: 'GET /rest/Customers(1)/?$lock=true', exactly: YES }

/** Locks belong to sessions. */
export const locks: CaseTable = [
  {
    id: 145,
    title: 'an entity is locked; locking it again changes nothing',
    fixture: customers,
    steps: [
      { ...annaLocks, replyHeaders: { 'set-cookie': contains('4DSID_shop=') } },
      { ...annaLocks, replyHeaders: { 'set-cookie': absent } },
    ],
  },
  {
    id: 147,
    title: 'the session that locked it unlocks it; then another one can lock it',
    fixture: customers,
    steps: [
      annaLocks,
      { as: 'bob', send: 'GET /rest/Customers(1)/?$lock=true', reply: REFUSED },
      { as: 'anna', send: 'GET /rest/Customers(1)/?$lock=false', exactly: YES },
      { as: 'bob', send: 'GET /rest/Customers(1)/?$lock=true', exactly: YES },
    ],
  },
  {
    id: 'K1',
    title: 'locked -> locked: another session receives the holder of the lock',
    fixture: customers,
    steps: [
      annaLocks,
      {
        as: 'bob',
        send: 'GET /rest/Customers(1)?$lock=true',
        reply: only({
          result: false,
          __STATUS: only({
            status: 3,
            statusText: 'Already locked',
            lockKind: 7,
            lockKindText: 'Locked by session',
            lockInfo: only({
              host: '{host}',
              IPAddr: aText,
              recordNumber: 0,
              userAgent: 'entia-conformance',
            }),
          }),
        }),
      },
    ],
  },
  {
    id: 'K2',
    title: 'other sessions may read but not lock, unlock, update or delete',
    fixture: customers,
    steps: [
      annaLocks,
      { as: 'bob', send: 'GET /rest/Customers(1)', reply: { name: 'Durand' } },
      { as: 'bob', send: 'GET /rest/Customers(1)?$lock=false', reply: REFUSED },
      {
        as: 'bob',
        send: 'POST /rest/Customers?$method=update',
        body: { __KEY: '1', name: 'x' },
        status: 423,
        reply: {
          __STATUS: { status: 3, statusText: 'Already locked', lockKind: 7, success: false },
          name: 'Durand',
        },
      },
      {
        as: 'bob',
        send: 'POST /rest/Customers?$method=update',
        body: [
          { __KEY: '1', name: 'x' },
          { __KEY: '2', name: 'Smythe' },
        ],
        status: 207,
        reply: { __ENTITIES: [{ __STATUS: { status: 3 } }, { __STATUS: { success: true } }] },
      },
      { as: 'bob', send: 'POST /rest/Customers(1)?$method=delete', status: 423 },
      { as: 'bob', send: 'POST /rest/Customers?$filter="ID=1"&$method=delete', status: 423 },
      { send: 'DELETE /rest/Customers(1)', status: 423 },
      {
        as: 'bob',
        send: 'POST /rest/Customers?$method=delete&$atomic=true',
        body: [{ __KEY: '3' }, { __KEY: '1' }],
        status: 423,
      },
      {
        as: 'bob',
        send: 'GET /rest/Customers?$filter="country=France"&$method=entityset',
        keep: { set: '__ENTITYSET' },
      },
      { as: 'bob', send: 'POST {set}?$method=delete&$atomic=true', status: 423 },
      { as: 'bob', send: 'GET /rest/Customers', keys: ['1', '2', '3'] },
      { as: 'anna', send: 'GET /rest/Customers(2)?$lock=true', exactly: YES },
      {
        as: 'bob',
        send: 'POST /rest/Customers?$method=update',
        body: [
          { __KEY: '1', name: 'x' },
          { __KEY: '2', name: 'x' },
        ],
        status: 423,
        reply: { __ENTITIES: [{ __STATUS: { status: 3 } }, { __STATUS: { status: 3 } }] },
      },
      { as: 'bob', send: 'POST /rest/Customers?$filter="ID>0"&$method=delete', status: 207 },
      { as: 'bob', send: 'GET /rest/Customers', keys: ['1', '2'] },
    ],
  },
  {
    id: 'K3',
    title: 'the session that holds the lock may write',
    fixture: customers,
    steps: [
      annaLocks,
      {
        as: 'anna',
        send: 'POST /rest/Customers?$method=update',
        body: { __KEY: '1', name: 'Dupont' },
        reply: { __STAMP: 2 },
      },
      { as: 'anna', send: 'DELETE /rest/Customers(1)', exactly: '{"ok":true}' },
    ],
  },
  {
    id: 'K4',
    title: 'locked -> unlocked: the session expired or logged out',
    fixture: customers,
    steps: [
      annaLocks,
      { as: 'bob', send: 'GET /rest/Customers(1)?$lock=true', after: 3601, exactly: YES },
      { as: 'bob', send: 'POST /rest/$directory/logout', reply: { result: true } },
      { as: 'anna', send: 'GET /rest/Customers(1)?$lock=true', exactly: YES },
    ],
  },
  {
    id: 'K5',
    title: 'status 2: the stamp differs from If-Match',
    fixture: customers,
    steps: [
      {
        as: 'anna',
        send: 'GET /rest/Customers(1)?$lock=true',
        headers: { 'if-match': '"7"' },
        reply: only({
          result: false,
          __STATUS: only({ status: 2, statusText: 'Stamp has changed' }),
        }),
      },
      {
        as: 'anna',
        send: 'GET /rest/Customers(1)?$lock=true',
        headers: { 'if-match': '"1"' },
        exactly: YES,
      },
    ],
  },
  {
    id: 'K6',
    title: 'status 5: the entity does not exist',
    fixture: customers,
    steps: [
      {
        as: 'anna',
        send: 'GET /rest/Customers(99)?$lock=true',
        reply: only({
          result: false,
          __STATUS: only({ status: 5, statusText: 'Entity does not exist' }),
        }),
      },
    ],
  },
  {
    id: 'K7',
    title: 'unlocking an unlocked entity succeeds; $lock needs one entity and a GET',
    fixture: customers,
    steps: [
      { as: 'anna', send: 'GET /rest/Customers(1)?$lock=false', exactly: YES },
      { as: 'anna', send: 'GET /rest/Customers?$lock=true', status: 400, errors: [1813] },
      { as: 'anna', send: 'POST /rest/Customers(1)?$lock=true', status: 405, errors: [9105] },
      { as: 'anna', send: 'GET /rest/Customers(1)?$lock=maybe', status: 400, errors: [9100] },
    ],
  },
]
