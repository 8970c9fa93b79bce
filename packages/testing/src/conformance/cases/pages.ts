import type { CaseTable } from '../case.ts'
import { absent, beginning } from '../expect.ts'
import { companies } from '../fixtures/companies.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** Pages of dataclasses, relations and entity sets. */
export const pages: CaseTable = [
  {
    id: 4,
    title: '100 of 250 entities are sent',
    fixture: companies,
    steps: [
      {
        send: 'GET /rest/Company',
        reply: {
          __COUNT: 250,
          __FIRST: 0,
          __ENTITIES: beginning(100, [
            { name: 'Adobe', address: null, city: 'San Jose', country: 'USA', revenues: 500_000 },
            { name: 'Apple', address: null, city: 'Cupertino', country: 'USA', revenues: 890_000 },
            { name: '4D', address: null, city: 'Clichy', country: 'France', revenues: 700_000 },
            {
              name: 'Microsoft',
              address: null,
              city: 'Seattle',
              country: 'USA',
              revenues: 650_000,
            },
          ]),
          __SENT: 100,
        },
      },
    ],
  },
  {
    id: 18,
    title: '$skip is returned as __FIRST',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee?$limit=1&$skip=12',
        keys: ['2016'],
        reply: { __FIRST: 12, __SENT: 1 },
      },
    ],
  },
  {
    id: 19,
    title: 'a page past the end is empty',
    fixture: wakanda,
    wrong: 'The recording has a __SENT of -1, but the number of sent entities is 0.',
    steps: [
      {
        send: 'GET /rest/Company(126)/staff?$expand=staff&$limit=40&$skip=10&$method=subentityset',
        reply: { __DATACLASS: 'Employee', __COUNT: 9, __FIRST: 10, __ENTITIES: [], __SENT: 0 },
      },
    ],
  },
  {
    id: 20,
    title: 'a page of an entity set',
    fixture: wakanda,
    steps: [
      { send: 'GET /rest/Employee?$method=entityset&$top=1', keep: { set: '__ENTITYSET' } },
      {
        send: 'GET {set}?$skip=20&$top=10',
        keys: ['2024', '2025', '2026', '2027', '2028', '2029', '2030', '2031', '2032', '2033'],
        reply: { __ENTITYSET: absent, __COUNT: 1003, __FIRST: 20, __SENT: 10 },
      },
    ],
  },
  {
    id: 21,
    title: 'a page of a dataclass',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee/?$top=10&$skip=20',
        keys: ['2024', '2025', '2026', '2027', '2028', '2029', '2030', '2031', '2032', '2033'],
        reply: { __COUNT: 1003, __FIRST: 20, __SENT: 10 },
      },
    ],
  },
]
