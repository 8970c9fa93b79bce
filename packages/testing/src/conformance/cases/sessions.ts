import type { CaseTable } from '../case.ts'
import { absent, aText, contains, only } from '../expect.ts'
import { cities } from '../fixtures/cities.ts'
import { bank } from '../fixtures/customers.ts'

const ANNA = { 'username-4d': 'anna', 'password-4d': 'secret' }

/** Sessions and users. */
export const sessions: CaseTable = [
  {
    id: 'S1',
    title: 'login by headers; a refused login is 401',
    fixture: bank,
    steps: [
      {
        as: 'anna',
        send: 'POST /rest/$directory/login',
        headers: { ...ANNA, 'session-4d-length': '60' },
        exactly: '{"result":true}',
        replyHeaders: { 'set-cookie': contains('4DSID_bank=') },
      },
      {
        as: 'anna',
        send: 'GET /rest/$directory/currentUser',
        reply: only({ result: only({ ID: '1', userName: 'anna', fullName: 'Anna Adams' }) }),
      },
      {
        as: 'bob',
        send: 'POST /rest/$directory/login',
        headers: { 'username-4d': 'bob', 'password-4d': 'wrong' },
        status: 401,
        errors: [1822],
        reply: { result: false },
      },
      { as: 'bob', send: 'GET /rest/$directory/currentUser', exactly: '{"result":null}' },
    ],
  },
  {
    id: 'S2',
    title: 'with a mandatory login, guests see the catalog and log in by a function',
    fixture: cities,
    options: { forceLogin: true },
    steps: [
      { as: 'anna', send: 'GET /rest/City', status: 401 },
      { as: 'anna', send: 'GET /rest/$catalog', reply: { __NAME: 'cities' } },
      {
        as: 'anna',
        send: 'POST /rest/$catalog/authentify',
        body: [{ name: 'anna', password: 'wrong' }],
        exactly: '{"result":false}',
      },
      { as: 'anna', send: 'GET /rest/City', status: 401 },
      {
        as: 'anna',
        send: 'POST /rest/$catalog/authentify',
        body: [{ name: 'anna', password: 'secret' }],
        exactly: '{"result":true}',
      },
      { as: 'anna', send: 'GET /rest/City', keys: ['1', '2', '3'] },
      { as: 'bob', send: 'GET /rest/City', status: 401 },
    ],
  },
  {
    id: 'S3',
    title: '$info lists sets and sessions, and counts the sets',
    fixture: bank,
    options: { info: 'all' },
    steps: [
      { as: 'anna', send: 'POST /rest/$directory/login', headers: ANNA },
      {
        as: 'anna',
        send: 'GET /rest/Account?$orderby=ID desc&$method=entityset',
        keep: { set: '__ENTITYSET' },
      },
      {
        as: 'anna',
        send: 'GET /rest/$info',
        names: [
          'cacheSize',
          'usedCache',
          'entitySetCount',
          'entitySet',
          'ProgressInfo',
          'sessionInfo',
        ],
        reply: {
          entitySetCount: 1,
          entitySet: [
            only({
              id: '{set.id}',
              tableName: 'Account',
              selectionSize: 3,
              sorted: true,
              refreshed: '2024-01-31T12:30:15Z',
              expires: '2024-01-31T14:30:15Z',
            }),
          ],
          ProgressInfo: [],
          sessionInfo: [
            only({
              sessionID: aText,
              userID: '1',
              userName: 'anna',
              lifeTime: 3600,
              expiration: '2024-01-31T13:30:15Z',
            }),
          ],
        },
      },
      { as: 'anna', send: 'GET /rest/$info/entitySet', names: ['entitySetCount', 'entitySet'] },
      { as: 'anna', send: 'GET /rest/$info/sessionInfo', names: ['sessionInfo'] },
    ],
  },
  {
    id: 'S5',
    title: 'login by a body, groups, logging out',
    fixture: bank,
    steps: [
      {
        as: 'anna',
        send: 'POST /rest/$directory/login',
        body: ['anna', 'secret'],
        exactly: '{"result":true}',
      },
      {
        as: 'anna',
        send: 'POST /rest/$directory/currentUserBelongsTo',
        body: ['staff'],
        exactly: '{"result":true}',
      },
      {
        as: 'anna',
        send: 'POST /rest/$directory/currentUserBelongsTo',
        body: ['board'],
        exactly: '{"result":false}',
      },
      { as: 'anna', send: 'GET /rest/$directory/logout', exactly: '{"result":true}' },
      { as: 'anna', send: 'GET /rest/$directory/currentUser', exactly: '{"result":null}' },
    ],
  },
  {
    id: 'S6',
    title: 'a read starts no session; the cookie of a session is limited to the base path',
    fixture: bank,
    steps: [
      { as: 'anna', send: 'GET /rest/Account', replyHeaders: { 'set-cookie': absent } },
      {
        as: 'anna',
        send: 'GET /rest/Account(1)?$lock=true',
        replyHeaders: { 'set-cookie': contains('; Path=/rest; HttpOnly; SameSite=Strict') },
      },
    ],
  },
  {
    id: 'S7',
    title: 'a session ends an hour after its last request',
    fixture: bank,
    steps: [
      { as: 'anna', send: 'POST /rest/$directory/login', body: ['anna', 'secret'] },
      {
        as: 'anna',
        send: 'GET /rest/$directory/currentUser',
        after: 3599,
        reply: { result: { userName: 'anna' } },
      },
      {
        as: 'anna',
        send: 'GET /rest/$directory/currentUser',
        after: 3599,
        reply: { result: { userName: 'anna' } },
      },
      {
        as: 'anna',
        send: 'GET /rest/$directory/currentUser',
        after: 3601,
        exactly: '{"result":null}',
      },
    ],
  },
  {
    id: 'S8',
    title: 'a page of another site can write only if its origin is allowed',
    fixture: bank,
    options: { allowedOrigins: ['https://app.example'] },
    steps: [
      {
        send: 'POST /rest/Branch',
        headers: { origin: 'https://evil.example' },
        body: { city: 'x' },
        status: 403,
        errors: [9106],
      },
      {
        send: 'GET /rest/Account(1)?$lock=true',
        headers: { 'sec-fetch-site': 'cross-site' },
        status: 403,
        errors: [9106],
      },
      { send: 'GET /rest/Account(1)', headers: { origin: 'https://evil.example' } },
      {
        send: 'POST /rest/Branch',
        headers: { origin: 'https://app.example' },
        body: { city: 'x' },
        replyHeaders: { 'access-control-allow-origin': 'https://app.example' },
      },
    ],
  },
]
