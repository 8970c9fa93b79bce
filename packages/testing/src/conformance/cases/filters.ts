import type { CaseTable } from '../case.ts'
import { collections, movies } from '../fixtures/collections.ts'
import { companies } from '../fixtures/companies.ts'
import { queryLanguage } from '../fixtures/query-language.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** `$filter` and `$params`. */
export const filters: CaseTable = [
  {
    id: 31,
    title: 'AND of a text and a number; letter case is ignored',
    fixture: queryLanguage,
    steps: [{ send: 'GET /rest/Person?$filter="firstName=john AND salary>20000"', keys: ['1'] }],
  },
  {
    id: 32,
    title: 'a comparison with != excludes empty texts and null',
    fixture: queryLanguage,
    steps: [
      { send: `GET /rest/Person?$filter="firstName!='' AND salary>30000"`, keys: ['2', '4', '7'] },
    ],
  },
  {
    id: 33,
    title: 'begin',
    fixture: queryLanguage,
    steps: [{ send: 'GET /rest/Person?$filter="lastName begin j"', keys: ['2', '3'] }],
  },
  {
    id: 35,
    title: 'placeholders',
    fixture: queryLanguage,
    steps: [
      {
        send: `GET /rest/Person?$filter="firstName=:1 AND salary>:2"&$params='["john",20000]'`,
        keys: ['1'],
      },
      {
        send: 'GET /rest/Person?$filter="firstName=:1 AND salary>:2"&$params=["john",30000]',
        keys: [],
      },
    ],
  },
  {
    id: 37,
    title: 'an apostrophe inside a bare value',
    fixture: queryLanguage,
    steps: [{ send: `GET /rest/Person?$filter="lastName=O'Reilly"`, keys: ['4'] }],
  },
  {
    id: 38,
    title: 'a property of an object',
    fixture: queryLanguage,
    wrong:
      "The sample writes `filter` without `$`; such a parameter is the application's own and is ignored.",
    steps: [{ send: 'GET /rest/Person?$filter="objAttribute.prop2 == 9181"', keys: ['2'] }],
  },
  {
    id: 40,
    title: 'a relation path; a property of an object',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="employer.name=Acme"', keys: ['1', '2'] },
      { send: 'GET /rest/Person?$filter="objAttribute.prop2=9181"', keys: ['2'] },
    ],
  },
  {
    id: 41,
    title: 'a filter of two quoted pieces is (a) AND (b)',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person/?$filter="lastName=Smith" and "lastName!=Jones"&$method=entityset&$timeout=600',
        keys: ['1', '8'],
      },
    ],
  },
  {
    id: 43,
    title: '= null',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee?$filter=%22hiringDate%20=%20null%22&$limit=1',
        keys: ['3004'],
        reply: { __COUNT: 3, __SENT: 1 },
      },
    ],
  },
  {
    id: 44,
    title: 'a relation path selects only related entities',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee?$filter=%22employer.ID%20%3E%200%22&$top=1',
        reply: { __COUNT: 1001 },
      },
    ],
  },
  {
    id: 46,
    title: '$params in escaped and in raw quotes',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/Employee?$filter=%22firstName%20=%20:1%22&$params=%27[%22ARON%22]%27',
        keys: ['2996'],
        reply: { __COUNT: 1 },
      },
      {
        send: `GET /rest/Employee?$filter=%22firstName%20=%20:1%22&$params='[%22ARON%22]'`,
        keys: ['2996'],
      },
      {
        send: 'GET /rest/Employee?$filter="firstName = :1"&$params=["ARON",2]',
        status: 400,
        errors: [9021],
      },
      {
        send: 'GET /rest/Employee?$filter="firstName = :2"&$params=["ARON"]',
        status: 400,
        errors: [1279],
      },
    ],
  },
  {
    id: 48,
    title: '@ matches any characters',
    fixture: queryLanguage,
    steps: [
      { send: `GET /rest/Person?$filter="firstName = 'S@'"`, keys: ['8'] },
      { send: `GET /rest/Person?$filter="firstName === 'S@'"`, keys: [] },
    ],
  },
  {
    id: 49,
    title: 'not selects all other entities, including those without a value',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="not(firstName=Kim)"',
        keys: ['1', '3', '4', '5', '6', '7', '8'],
      },
    ],
  },
  {
    id: 51,
    title: 'parentheses, and wildcards in parameters',
    fixture: queryLanguage,
    steps: [
      {
        send:
          'GET /rest/Person?$filter="(firstName = :1 or firstName = :2) and (lastName = :3 or lastName = :4)"' +
          '&$params=["D@","R@","S@","K@"]',
        keys: ['7'],
      },
    ],
  },
  {
    id: 53,
    title: 'an order at the end of a filter overrides $orderby',
    fixture: queryLanguage,
    steps: [
      {
        send:
          'GET /rest/Student?$filter="nationality = :1 order by campus.name desc, lastname"' +
          '&$params=["French"]&$orderby=lastname',
        keys: ['3', '2', '1'],
      },
    ],
  },
  {
    id: 54,
    title: 'named placeholders',
    fixture: queryLanguage,
    steps: [
      {
        send:
          'GET /rest/Customer?$filter="salesperson.userId = :userId and name = :extraInfo.name"' +
          '&$params={"userId":1234,"extraInfo":{"name":"Smith"}}',
        keys: ['1'],
      },
    ],
  },
  {
    id: 56,
    title: 'a condition on some element of a collection',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="extraInfo.hobbies[].name = :1"&$params=["horse riding"]',
        keys: ['4'],
      },
    ],
  },
  {
    id: 58,
    title: 'in',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="firstName in :1"&$params=[["Kim","Dixie"]]',
        keys: ['2', '3'],
      },
      { send: 'GET /rest/Person?$filter="firstName in [Kim, Dixie]"', keys: ['2', '3'] },
    ],
  },
  {
    id: 59,
    title: 'not in',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="not (firstName in :1)"&$params=[["John","Jane"]]',
        keys: ['2', '3', '5', '6', '7', '8'],
      },
    ],
  },
  {
    id: 60,
    title: 'placeholders for attributes',
    fixture: queryLanguage,
    steps: [
      {
        send: `GET /rest/Customer?$filter=":1 = 1234 and :2 = 'Smith'"&$params=["salesperson.userId","name"]`,
        keys: ['1'],
      },
    ],
  },
  {
    id: 62,
    title: '[] matches some element',
    fixture: collections,
    steps: [{ send: 'GET /rest/Item?$filter="info.coll[].val = 0"', keys: ['B', 'C'] }],
  },
  {
    id: 64,
    title: '[a] with != matches a differing element, [] requires that no element equals',
    fixture: collections,
    steps: [
      { send: 'GET /rest/Item?$filter="info.coll[a].val != 0"', keys: ['A', 'B'] },
      { send: 'GET /rest/Item?$filter="info.coll[].val != 0"', keys: ['A'] },
    ],
  },
  {
    id: 65,
    title: 'comparisons over [] may match different elements, those over [a] match one',
    fixture: collections,
    steps: [
      {
        send: 'GET /rest/People?$filter="places.locations[].kind=home and places.locations[].city=paris"',
        keys: ['martin', 'smith'],
      },
      {
        send: 'GET /rest/People?$filter="places.locations[a].kind=home and places.locations[a].city=paris"',
        keys: ['martin'],
      },
    ],
  },
  {
    id: 67,
    title: 'comparisons over one path match one related entity; {2} matches another',
    fixture: movies,
    steps: [
      {
        send: 'GET /rest/Movie?$filter="roles.actor.lastName=Hanks AND roles.actor.lastName=Ryan"',
        keys: [],
      },
      {
        send: 'GET /rest/Movie?$filter="roles.actor.lastName=Hanks AND roles.actor{2}.lastName=Ryan"',
        keys: ['Mail', 'Sleepless'],
      },
    ],
  },
  {
    id: 69,
    title: 'a parameter is never read as filter text',
    fixture: queryLanguage,
    steps: [
      {
        send:
          `GET /rest/Person?$filter="status='public' %26 firstName=:1"` +
          `&$params=["smith OR status='private'"]`,
        keys: [],
      },
      {
        send: `GET /rest/Person?$filter="status='public' & firstName=:1"&$params=["John"]`,
        keys: ['1'],
      },
    ],
  },
  {
    id: 70,
    title: 'a quote inside a quoted value is an error; parameters and escapes may hold quotes',
    fixture: queryLanguage,
    steps: [
      {
        send: `GET /rest/Person?$filter="employer.name = 'John's pizza'"`,
        status: 400,
        errors: [1112],
      },
      {
        send: `GET /rest/Person?$filter="employer.name = :1"&$params=["John's pizza"]`,
        keys: ['5'],
      },
      { send: `GET /rest/Person?$filter="employer.name = 'John\\u0027s pizza'"`, keys: ['5'] },
    ],
  },
  {
    id: 72,
    title: '* is also a wildcard',
    fixture: companies,
    steps: [{ send: 'GET /rest/Company?$filter="name=a*"', keys: ['1', '2'] }],
  },
]
