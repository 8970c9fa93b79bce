import type { CaseTable } from '../case.ts'
import { absent } from '../expect.ts'
import { softwares } from '../fixtures/collections.ts'
import { queryLanguage } from '../fixtures/query-language.ts'

/** Filter rules of the interface that no sample shows. */
export const filterRules: CaseTable = [
  {
    id: 'Q1',
    title: 'every comparator of the interface',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="salary = 25000"', keys: ['1'] },
      { send: 'GET /rest/Person?$filter="salary != 25000"&$top=1', reply: { __COUNT: 7 } },
      { send: 'GET /rest/Person?$filter="salary > 40000"', keys: ['5'] },
      { send: 'GET /rest/Person?$filter="salary >= 40000"', keys: ['4', '5'] },
      { send: 'GET /rest/Person?$filter="salary < 12000"', keys: ['6'] },
      { send: 'GET /rest/Person?$filter="salary <= 12000"', keys: ['3', '6'] },
      { send: 'GET /rest/Person?$filter="lastName begin SM"', keys: ['1', '8'] },
    ],
  },
  {
    id: 'Q2',
    title: 'AND, OR, EXCEPT: AND binds tightest, the others apply from left to right',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="lastName=Kane OR lastName=Smith AND salary>20000"',
        keys: ['1', '6', '7'],
      },
      { send: 'GET /rest/Person?$filter="lastName=Smith EXCEPT firstName=Sam"', keys: ['1'] },
      {
        send: 'GET /rest/Person?$filter="lastName=Smith OR lastName=Kane EXCEPT firstName=Sam"',
        keys: ['1', '6', '7'],
      },
    ],
  },
  {
    id: 'Q3',
    title: 'names of attributes are case-sensitive; an unknown name is an error with its position',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="lastname=Smith"', status: 400, errors: [1500, 1201] },
      { send: 'GET /rest/person', status: 404, errors: [1800] },
      { send: 'GET /rest/Person?$filter="lastName ~~ Smith"', status: 400 },
      { send: 'GET /rest/Person?$filter="(lastName = Smith"', status: 400, errors: [1162] },
      { send: 'GET /rest/Person?$filter="salary = much"', status: 400, errors: [1201] },
    ],
  },
  {
    id: 'Q4',
    title: 'a path of raw names, for properties that are not identifiers',
    fixture: softwares,
    steps: [
      {
        send: `GET /rest/Employee?$filter=":1 = 'Installed'"&$params=[["softwares","Word 10.2"]]`,
        keys: ['46'],
      },
    ],
  },
  {
    id: 'Q5',
    title: 'a placeholder without a value, or with null, is an error; formulas are refused',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="firstName=:1"', status: 400, errors: [1279] },
      {
        send: 'GET /rest/Person?$filter="firstName=:1"&$params=[null]',
        status: 400,
        errors: [1279],
      },
      { send: 'GET /rest/Person?$filter="eval(firstName)"', status: 400, errors: [1278] },
    ],
  },
  {
    id: 'Q6',
    title: 'quotes as escape codes, also in bare values',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="lastName=O\\u0027Reilly"', keys: ['4'] },
      { send: 'GET /rest/Person?$filter="lastName = \'\\u0022\'"', keys: [] },
    ],
  },
  {
    id: 'Q7',
    title: '$filter applies before $skip, $top, $compute, $distinct, $format and entity sets',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="salary>30000"&$skip=1&$top=2',
        keys: ['4', '5'],
        reply: { __COUNT: 4 },
      },
      { send: 'GET /rest/Person/salary?$filter="salary>30000"&$compute=sum', exactly: '154000' },
      {
        send: 'GET /rest/Person/lastName?$filter="salary>40000"&$distinct=true',
        reply: ['Roberts'],
      },
      {
        send: 'GET /rest/Person?$filter="salary>40000"&$format=dashboard',
        reply: { __COUNT: 1, filtersApplied: true, __ENTITIES: absent },
      },
      {
        send: 'GET /rest/Person?$filter="salary>40000"&$method=entityset',
        keys: ['5'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}', keys: ['5'] },
    ],
  },
  {
    id: 'Q8',
    title: '__KEY is the key attribute, also in an order and after a relation',
    fixture: queryLanguage,
    steps: [
      { send: 'GET /rest/Person?$filter="__KEY in :1"&$params=[[5,2]]', keys: ['2', '5'] },
      {
        send: `GET /rest/Person?$filter="__KEY in :1"&$params='[["5","2"]]'&$orderby=__KEY desc`,
        keys: ['5', '2'],
      },
      {
        send: 'GET /rest/Person?$filter="employer.__KEY = 1 and employer.name = Acme"',
        keys: ['1', '2'],
      },
    ],
  },
  {
    id: 'Q9',
    title: 'conditions in quotes within parentheses',
    fixture: queryLanguage,
    steps: [
      {
        send: `GET /rest/Person?$filter=('firstName=john' or 'salary>40000') and 'salary>20000'`,
        keys: ['1', '5'],
      },
    ],
  },
  {
    id: 'Q10',
    title: 'an order at the end of a filter overrides $orderby; the words inside a value do not',
    fixture: queryLanguage,
    steps: [
      {
        send: 'GET /rest/Person?$filter="__KEY < 4 order by ID desc"&$orderby=ID',
        keys: ['3', '2', '1'],
      },
      {
        send: `GET /rest/Person?$filter="__KEY < 3 and lastName != b-'x order by ID desc"&$orderby=ID`,
        keys: ['2', '1'],
      },
      {
        send: `GET /rest/Person?$filter="__KEY < 3 and lastName != 'a order by ID desc'"&$orderby=ID`,
        keys: ['1', '2'],
      },
    ],
  },
]
