import type { CaseTable } from '../case.ts'
import { aText, contains, deferred, only, other } from '../expect.ts'
import { cities } from '../fixtures/cities.ts'
import { students } from '../fixtures/students.ts'

/** Functions that the application exposes. */
export const functions: CaseTable = [
  {
    id: 156,
    title: 'entities and selections as parameters',
    fixture: students,
    steps: [
      {
        send: 'POST /rest/Students/pushData',
        body: [{ __DATACLASS: 'Students', __ENTITY: true, firstname: 'Ann', lastname: 'Brown' }],
        reply: {
          __entityModel: 'Students',
          __KEY: '55',
          __STAMP: 1,
          lastname: 'BROWN',
          school: null,
        },
      },
      {
        send: 'POST /rest/Students/pushData',
        body: [
          {
            __DATACLASS: 'Students',
            __ENTITY: true,
            lastname: 'Brownie',
            firstname: 'Andrew',
            __KEY: 55,
          },
        ],
        reply: { __KEY: '55', __STAMP: 2, firstname: 'Andrew', lastname: 'BROWNIE' },
      },
      {
        send: 'POST /rest/Students/pushData',
        body: [
          {
            __DATACLASS: 'Students',
            __ENTITY: true,
            __KEY: 55,
            lastname: 'Brownie',
            school: { __KEY: 2 },
          },
        ],
        reply: { __STAMP: 3, schoolID: 2, school: deferred('/rest/Schools[2]', { __KEY: '2' }) },
      },
      { send: 'GET /rest/Students?$filter="ID<3"&$method=entityset', keep: { set: '__ENTITYSET' } },
      {
        send: 'POST /rest/Students/setFinalExam',
        body: [{ __ENTITIES: true, __DATASET: '{set.id}' }, 'Passed'],
        exactly: '{"result":[1,2]}',
      },
      {
        send: 'GET {set}?$attributes=finalExam',
        reply: { __ENTITIES: [{ finalExam: 'Passed' }, { finalExam: 'Passed' }] },
      },
    ],
  },
  {
    id: 'N1',
    title: 'functions of the datastore, by POST, and by GET if they allow it',
    fixture: cities,
    steps: [
      { send: 'POST /rest/$catalog/ping', exactly: '{"result":"pong"}' },
      { send: 'GET /rest/$catalog/ping', exactly: '{"result":"pong"}' },
      { send: 'POST /rest/$catalog/add', body: [1, 2], exactly: '{"result":3}' },
      {
        send: 'GET /rest/$catalog/add?$params=[1,2]',
        status: 405,
        errors: [1829],
        replyHeaders: { allow: 'POST' },
      },
      { send: 'POST /rest/$catalog/nosuch', status: 404, errors: [1827] },
    ],
  },
  {
    id: 'N2',
    title:
      'functions of a dataclass: an entity returns as an entity, a selection in an envelope, undefined as null',
    fixture: cities,
    steps: [
      {
        send: 'POST /rest/City/getCity',
        body: ['Aguada'],
        reply: { __entityModel: 'City', __KEY: '1', name: 'Aguada' },
      },
      { send: 'POST /rest/City/getCity', body: ['Nowhere'], exactly: '{"result":null}' },
      {
        send: 'POST /rest/City/byFirstLetter?$attributes=name&$top=1',
        body: ['a'],
        keys: ['1'],
        reply: { __DATACLASS: 'City', __COUNT: 2, __SENT: 1 },
      },
      {
        send: 'POST /rest/City/byFirstLetter?$method=entityset',
        body: ['p'],
        keys: ['3'],
        keep: { set: '__ENTITYSET' },
      },
      { send: 'GET {set}', keys: ['3'] },
    ],
  },
  {
    id: 'N3',
    title:
      'functions of a selection: all entities, filtered ones, or an entity set, in either path order',
    fixture: cities,
    steps: [
      { send: 'POST /rest/City/population', exactly: '{"result":87257}' },
      { send: 'GET /rest/City/population?$filter="ID<3"', exactly: '{"result":87256}' },
      { send: 'GET /rest/City?$filter="ID>1"&$method=entityset', keep: { set: '__ENTITYSET' } },
      { send: 'POST {set}/population', exactly: '{"result":48815}' },
      { send: 'POST /rest/City/population/$entityset/{set.id}', exactly: '{"result":48815}' },
    ],
  },
  {
    id: 'N4',
    title: 'functions of an entity',
    fixture: cities,
    steps: [
      { send: 'GET /rest/City(2)/getPopulation', exactly: '{"result":48814}' },
      {
        send: 'POST /rest/City(1)/getCounty',
        reply: { __entityModel: 'County', __KEY: '72003', name: 'Aguada' },
      },
      { send: 'POST /rest/City(3)/getCounty', exactly: '{"result":null}' },
      { send: 'POST /rest/City(99)/getCounty', status: 404, errors: [1543] },
      { send: 'POST /rest/City/getPopulation', status: 404, errors: [1827] },
    ],
  },
  {
    id: 'N5',
    title: 'functions of a singleton',
    fixture: cities,
    steps: [
      {
        send: 'POST /rest/$singleton/VehicleFactory/buildVehicle',
        body: ['truck'],
        exactly: '{"result":{"kind":"truck","wheels":4}}',
      },
      { send: 'GET /rest/$singleton/VehicleFactory/count', exactly: '{"result":3}' },
      { send: 'GET /rest/$singleton/VehicleFactory/buildVehicle', status: 405, errors: [1829] },
      { send: 'POST /rest/$singleton/Hidden/secret', status: 404, errors: [1827] },
      { send: 'POST /rest/$singleton/Nosuch/secret', status: 404, errors: [1827] },
    ],
  },
  {
    id: 'N6',
    title: 'a function that throws gives 500 without details; a hidden function is unknown',
    fixture: cities,
    steps: [
      {
        send: 'POST /rest/City(1)/collapse',
        status: 500,
        reply: { __ERROR: [{ errCode: 9010, message: other(contains('secret')) }] },
      },
      { send: 'POST /rest/City/internal', status: 404, errors: [1500, 1804] },
    ],
  },
  {
    id: 'N7',
    title: 'a function may return its own response body',
    fixture: cities,
    steps: [
      {
        send: 'GET /rest/$catalog/report',
        exactly: 'a,b\n1,2\n',
        replyHeaders: { 'content-type': 'text/csv' },
      },
    ],
  },
  {
    id: 'N8',
    title:
      'a body that is not an array is one parameter; an error names the parameter by its position',
    fixture: cities,
    steps: [
      { send: 'POST /rest/City/getCity', body: '"Ponce"', reply: { __KEY: '3' } },
      {
        send: 'POST /rest/City/getCity',
        body: [{ __ENTITY: true, __DATACLASS: 'Nosuch' }],
        status: 400,
        errors: [1800, 9111],
        reply: {
          __ERROR: [only({ message: aText, componentSignature: 'dbmg', errCode: 1800 }), {}],
        },
      },
    ],
  },
]
