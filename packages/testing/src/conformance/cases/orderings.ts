import type { CaseTable } from '../case.ts'
import { people } from '../fixtures/people.ts'
import { queryLanguage } from '../fixtures/query-language.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** `$orderby`. */
export const orderings: CaseTable = [
  {
    id: 73,
    title: 'several keys, descending and ascending',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="salary!=0"&$orderby="salary DESC,lastName ASC,firstName ASC"',
        keys: ['5', '4', '7', '2', '1', '8', '3', '6'],
      },
    ],
  },
  {
    id: 74,
    title: 'an entity set in another order',
    fixture: people,
    wrong: "The sample prints Smith before O'Leary although it states an ascending order.",
    steps: [
      {
        send: 'GET /rest/People?$method=entityset',
        keys: ['1', '2', '3', '4'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}?$orderby="lastName"', keys: ['4', '3', '2', '1'] },
      { send: 'GET {set}', keys: ['1', '2', '3', '4'] },
    ],
  },
  {
    id: 75,
    title: 'a key of a related entity',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Student?$orderby="campus.name desc, lastname asc"',
        keys: ['3', '2', '4', '1'],
      },
      {
        send: 'GET /rest/Student?$orderby="lastname asc, campus.name desc"',
        keys: ['3', '1', '2', '4'],
      },
    ],
  },
  {
    id: 76,
    title: 'the highest of many values',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee/ID,salary?$orderby=salary%20desc&$limit=20',
        reply: { __SENT: 20, __COUNT: 1003 },
      },
      { send: 'GET /rest/Employee/salary?$orderby=salary%20desc&$limit=2', keys: ['2565', '2605'] },
    ],
  },
  {
    id: 78,
    title: 'null is lowest',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$orderby=firstName asc, salary desc',
        keys: ['6', '5', '3', '4', '1', '2', '7', '8'],
      },
      { send: 'GET /rest/Person?$orderby=firstName desc&$skip=7', keys: ['6'] },
    ],
  },
  {
    id: 'O1',
    title: 'an unknown attribute is 404, error 1810; an attribute without an order is 1594',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$orderby=nosuch', status: 404, errors: [1500, 1810] },
      { send: 'GET /rest/Person?$orderby=salary down', status: 400, errors: [1810] },
      { send: 'GET /rest/Person?$orderby=objAttribute', status: 400, errors: [1594] },
    ],
  },
]
