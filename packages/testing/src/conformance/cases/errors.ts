import type { CaseTable } from '../case.ts'
import { aText, only } from '../expect.ts'
import { orders } from '../fixtures/orders.ts'

/** Malformed requests. */
export const errors: CaseTable = [
  {
    id: 'E1',
    title: 'an error has a message, a component and a code',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Users(99)',
        status: 404,
        reply: only({
          __ERROR: [only({ message: aText, componentSignature: 'dbmg', errCode: 1543 })],
        }),
        replyHeaders: { 'content-type': 'application/json; charset=utf-8' },
      },
    ],
  },
  {
    id: 'E2',
    title: 'malformed addresses',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Users(1', status: 400, errors: [1806] },
      { send: 'GET /rest/Users&$top=1', status: 400, errors: [1807] },
      { send: 'GET /rest/Users/$top=1', status: 400, errors: [1807] },
      { send: `GET /rest/Users?$filter="Name = 'x`, status: 400, errors: [1809] },
      { send: `GET /rest/Users?$filter='Name = x`, status: 400, errors: [1808] },
      { send: 'GET /rest/$nosuch', status: 404, errors: [9108] },
    ],
  },
  {
    id: 'E3',
    title: 'unknown, repeated and invalid parameters; those without $ belong to the application',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Users?$nosuch=1', status: 400, errors: [1811] },
      { send: 'GET /rest/Users?nosuch=1&$top=1', keys: ['1'] },
      { send: 'GET /rest/Users?$top=1&$top=1', status: 400, errors: [9101] },
      { send: 'GET /rest/Users?$top=-1', status: 400, errors: [9100] },
      { send: 'GET /rest/Users?$skip=a', status: 400, errors: [9100] },
      { send: 'GET /rest/Users?$asArray=yes', status: 400, errors: [9100] },
      { send: 'GET /rest/Users?$method=nosuch', status: 400, errors: [1812] },
    ],
  },
  {
    id: 'E4',
    title: 'keys of another type',
    fixture: orders,
    steps: [
      { send: 'GET /rest/Users(abc)', status: 404, errors: [1541] },
      { send: 'GET /rest/Users(007)', status: 404, errors: [1541] },
    ],
  },
  {
    id: 'E5',
    title: 'misplaced and oversized bodies',
    fixture: orders,
    options: { limits: { maxBodyBytes: 1000 } },
    steps: [
      {
        send: 'POST /rest/Users',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x--',
        status: 415,
        errors: [9107],
      },
      { send: 'POST /rest/Users', body: { Name: 'x'.repeat(1001) }, status: 413, errors: [9103] },
      { send: 'POST /rest/Users', body: '{"Name":"\\ud800"}', status: 400 },
      { send: 'POST /rest/Users', body: '{"ID":1e999}', status: 400 },
      {
        send: 'GET /rest/Users?$top=0',
        reply: only({
          __DATACLASS: 'Users',
          __entityModel: 'Users',
          __GlobalStamp: 75,
          __COUNT: 10,
          __FIRST: 0,
          __ENTITIES: [],
          __SENT: 0,
        }),
      },
    ],
  },
]
