import type { CaseTable } from '../case.ts'
import { employees } from '../fixtures/employees.ts'
import { specialities } from '../fixtures/specialities.ts'

/** Deleting entities, one by one, in arrays, of entity sets and atomically. */
export const deletions: CaseTable = [
  {
    id: 134,
    title: '$method=delete with $atomic: both or none',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee?$method=delete&$atomic=true',
        body: [{ __KEY: '200' }, { __KEY: '999' }],
        status: 404,
        errors: [1542],
      },
      { send: 'GET /rest/Employee(200)' },
      {
        send: 'POST /rest/Employee?$method=delete&$atomic=true',
        body: [{ __KEY: '200' }, { __KEY: '201' }],
        exactly: '{"ok":true}',
      },
      { send: 'GET /rest/Employee(200)', status: 404, errors: [1543] },
      { send: 'GET /rest/Employee(201)', status: 404, errors: [1543] },
    ],
  },
  {
    id: 135,
    title: 'DELETE of an address deletes one entity',
    fixture: employees,
    steps: [
      { send: 'POST /rest/Employee(22)/?$method=delete', exactly: '{"ok":true}' },
      { send: 'GET /rest/Employee(22)', status: 404, errors: [1543] },
    ],
  },
  {
    id: 137,
    title: 'the entities of a set are deleted; the set keeps their places as null',
    fixture: specialities,
    steps: [
      {
        send: 'GET /rest/Speciality?$filter="ID>1"&$method=entityset',
        keep: { set: '__ENTITYSET' },
      },
      { send: 'POST {set}?$method=delete', exactly: '{"ok":true}' },
      { send: 'GET {set}', keys: [null, null], reply: { __COUNT: 2 } },
      { send: 'GET /rest/Speciality', keys: ['1'] },
    ],
  },
  {
    id: 138,
    title: 'DELETE deletes',
    fixture: employees,
    steps: [
      { send: 'DELETE /rest/Employee[123]', exactly: '{"ok":true}' },
      { send: 'DELETE /rest/Employee[123]', status: 404, errors: [1543] },
    ],
  },
]
