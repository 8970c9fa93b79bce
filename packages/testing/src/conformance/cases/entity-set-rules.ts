import type { CaseTable } from '../case.ts'
import { absent, aNumber, list } from '../expect.ts'
import { people } from '../fixtures/people.ts'

/** A set of the people with keys 1 to 3 and one of those with 3 to 5. */
const TWO_SETS = [
  { send: 'GET /rest/People?$filter="ID<=3"&$method=entityset', keep: { A: '__ENTITYSET' } },
  {
    send: 'GET /rest/People?$filter="ID>=3 and ID<=5"&$method=entityset',
    keep: { B: '__ENTITYSET' },
  },
]

/** The life of an entity set state by state, and rules for sets that no sample shows. */
export const entitySetRules: CaseTable = [
  {
    id: 'L1',
    title: 'absent -> cached: a set is created with a lifetime of $timeout or 7200 seconds',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}', after: 7199, keys: ['1', '2', '3', '4'] },
      { send: 'GET {set}', after: 7201, status: 404, errors: [1802] },
      { send: 'GET /rest/People?$method=entityset&$timeout=10', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}', after: 11, status: 404, errors: [1802] },
    ],
  },
  {
    id: 'L2',
    title: 'cached -> cached: every access restarts the lifetime, also as an operand',
    fixture: people,
    steps: [
      ...TWO_SETS,
      { send: 'GET {A}', after: 7000, keys: ['1', '2', '3'] },
      { send: 'GET {A}?$logicOperator=AND&$otherCollection={B.id}', after: 100, keys: ['3'] },
      { send: 'GET {B}', after: 7000, keys: ['3', '4'] },
    ],
  },
  {
    id: 'L3',
    title: 'cached -> removed: $method=release',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}?$method=release', exactly: '{"ok":true}' },
      { send: 'GET {set}', status: 404, errors: [1802] },
    ],
  },
  {
    id: 'L4',
    title: 'removed -> removed: without saved criteria, access and release give error 1802',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$method=entityset&$timeout=1', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}', after: 2, status: 404, errors: [1802] },
      { send: 'GET {set}?$method=release', status: 404, errors: [1802] },
      {
        send: 'GET /rest/People/$entityset/00000000000000000000000000000ABC',
        status: 404,
        errors: [1802],
      },
    ],
  },
  {
    id: 'L5',
    title: 'removed -> cached: saved criteria recreate the set under its id, for 600 seconds',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$filter="ID>1"&$method=entityset', keep: { set: '__ENTITYSET' } },
      {
        send: 'GET {set}?$savedfilter="ID>1"&$savedorderby="ID desc"',
        after: 7201,
        keys: ['4', '3', '2'],
        reply: { __ENTITYSET: absent },
      },
      { send: 'GET {set}', after: 599, keys: ['4', '3', '2'] },
      { send: 'GET {set}', after: 601, status: 404, errors: [1802] },
      { send: 'GET {set}?$savedfilter="ID>1"&$timeout=1000', keys: ['2', '3', '4'] },
      { send: 'GET {set}', after: 999, keys: ['2', '3', '4'] },
    ],
  },
  {
    id: 'L6',
    title: 'for an existing set, the saved filter is ignored and the saved order sorts the reply',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$filter="ID>1"&$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}?$savedfilter="ID=1"&$savedorderby="ID desc"', keys: ['4', '3', '2'] },
      { send: 'GET {set}?$savedorderby="ID desc"&$orderby=ID', keys: ['2', '3', '4'] },
      { send: 'GET {set}', keys: ['2', '3', '4'] },
      { send: 'GET {set}?$savedfilter="nosuch=1"', status: 400, errors: [1500, 1201] },
    ],
  },
  {
    id: 'L7',
    title: 'filter, order and page within a set do not change it',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$filter="ID>1"&$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'GET {set}?$filter="lastName < N"', keys: ['3', '4'] },
      {
        send: 'GET {set}?$orderby=lastName desc&$skip=1&$top=1',
        keys: ['3'],
        reply: { __COUNT: 3, __FIRST: 1 },
      },
      {
        send: 'GET {set}?$filter="ID<4"&$method=entityset',
        keys: ['2', '3'],
        keep: { part: '__ENTITYSET' },
      },
      { send: 'GET {part}', keys: ['2', '3'] },
      { send: 'GET {set}', keys: ['2', '3', '4'] },
    ],
  },
  {
    id: 'L8',
    title: 'a change of values removes no member',
    fixture: people,
    steps: [
      {
        send: 'GET /rest/People?$filter="salary<20000"&$method=entityset',
        keys: ['4'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'POST /rest/People?$method=update', body: { __KEY: '4', salary: 90_000 } },
      { send: 'GET {set}', keys: ['4'], reply: { __ENTITIES: [{ salary: 90_000 }] } },
    ],
  },
  {
    id: 'L9',
    title: 'a deleted member sorts last; filters and aggregates skip it',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'DELETE /rest/People(2)' },
      { send: 'GET {set}?$orderby=ID desc', keys: ['4', '3', '1', null] },
      { send: 'GET {set}?$filter="ID>0"', keys: ['1', '3', '4'] },
      { send: 'GET /rest/People/salary/$entityset/{set.id}?$compute=count', exactly: '3' },
    ],
  },
  {
    id: 'L10',
    title: 'EXCEPT subtracts the second set; INTERSECT tests whether the sets share a member',
    fixture: people,
    steps: [
      ...TWO_SETS,
      { send: 'GET {A}?$logicOperator=EXCEPT&$otherCollection={B.id}', keys: ['1', '2'] },
      { send: 'GET {A}?$logicOperator=INTERSECT&$otherCollection={B.id}', exactly: 'true' },
      { send: 'GET /rest/People?$filter="ID=4"&$method=entityset', keep: { C: '__ENTITYSET' } },
      { send: 'GET {A}?$logicOperator=intersect&$otherCollection={C.id}', exactly: 'false' },
    ],
  },
  {
    id: 'L11',
    title:
      'errors of combining: 1818 for the operator, 1819 for a missing set, 1820 for another dataclass',
    fixture: people,
    steps: [
      ...TWO_SETS,
      { send: 'GET /rest/Company?$method=entityset', keep: { company: '__ENTITYSET' } },
      { send: 'GET {A}?$logicOperator=XOR&$otherCollection={B.id}', status: 400, errors: [1818] },
      { send: 'GET {A}?$logicOperator=AND', status: 400, errors: [1819] },
      {
        send: 'GET {A}?$logicOperator=AND&$otherCollection={company.id}',
        status: 404,
        errors: [1820],
      },
      { send: 'GET {A}?$logicOperator=AND&$otherCollection=nosuch', status: 404, errors: [1820] },
      { send: 'GET /rest/Company/$entityset/{A.id}', status: 404, errors: [1803] },
    ],
  },
  {
    id: 'L12',
    title: 'one request releases several sets and ignores unknown ones',
    fixture: people,
    steps: [
      ...TWO_SETS,
      {
        send: 'POST /rest/$entityset/$release',
        body: ['{A.id}', '{B.id}', 'nosuch'],
        exactly: '{"ok":true}',
      },
      { send: 'GET {A}', status: 404, errors: [1802] },
      { send: 'GET {B}', status: 404, errors: [1802] },
    ],
  },
  {
    id: 'L13',
    title: '$timeout takes a positive number of seconds',
    fixture: people,
    steps: [
      { send: 'GET /rest/People?$method=entityset&$timeout=0', status: 400, errors: [9100] },
      { send: 'GET /rest/People?$method=entityset&$timeout=soon', status: 400, errors: [9100] },
    ],
  },
  {
    id: 'L14',
    title: 'an option restricts a set to the session that created it',
    fixture: people,
    options: { entitySets: { scope: 'session' } },
    steps: [
      { as: 'anna', send: 'GET /rest/People?$method=entityset', keep: { set: '__ENTITYSET' } },
      {
        as: 'anna',
        send: 'GET {set}',
        reply: { __COUNT: 4, __GlobalStamp: aNumber, __ENTITIES: list(4) },
      },
      { as: 'bob', send: 'GET {set}', status: 404, errors: [1802] },
    ],
  },
  {
    id: 'L15',
    title: '$savedfilter=$all is the whole dataclass',
    fixture: people,
    steps: [
      {
        send: "GET /rest/People/$entityset/0123456789ABCDEF0123456789ABCDEF?$savedfilter='$all'",
        reply: { __COUNT: 4 },
      },
      {
        send: 'GET /rest/People/$entityset/0123456789ABCDEF0123456789ABCDEF',
        reply: { __COUNT: 4 },
      },
    ],
  },
]
