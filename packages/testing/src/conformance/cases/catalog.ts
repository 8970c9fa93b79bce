import type { CaseTable } from '../case.ts'
import { absent, aNumber, anId, contains, only } from '../expect.ts'
import { cities } from '../fixtures/cities.ts'
import { companies } from '../fixtures/companies.ts'
import { bank } from '../fixtures/customers.ts'
import { employees } from '../fixtures/employees.ts'
import { orders } from '../fixtures/orders.ts'
import { wakanda } from '../fixtures/wakanda.ts'

/** An entry of the short catalog. */
const short = (name: string) =>
  only({ name, uri: `/rest/$catalog/${name}`, dataURI: `/rest/${name}` })

/** The model as `$catalog` describes it. */
export const catalog: CaseTable = [
  {
    id: 22,
    title: 'the short catalog: dataclasses and methods',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/$catalog',
        reply: only({
          __UNIQID: anId,
          __BASEID: null,
          __NAME: 'orders',
          properties: only({ supportJSONEntityKey: true }),
          methods: [
            only({
              name: 'checkAvailability',
              applyTo: 'dataStore',
              scope: 'public',
              from: 'remoteServer',
              allowedOnHTTPGET: false,
              exposed: true,
            }),
          ],
          dataClasses: [short('Users'), short('Products'), short('Orders'), short('Payments')],
        }),
      },
    ],
  },
  {
    id: 24,
    title: 'the catalog of one dataclass, with every field of a dataclass and of its attributes',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/$catalog/Users',
        names: ['__UNIQID', '__BASEID', '__NAME', 'properties', 'methods', 'dataClasses'],
        reply: {
          dataClasses: [
            only({
              name: 'Users',
              className: 'Users',
              collectionName: 'UsersSelection',
              exposed: true,
              tableNumber: 1,
              scope: 'public',
              uuid: anId,
              dataURI: '/rest/Users',
              extraProperties: only({
                panelColor: '#808080',
                position: only({ x: aNumber, y: aNumber }),
              }),
              attributes: [
                only({
                  name: 'ID',
                  kind: 'storage',
                  fieldPos: 1,
                  scope: 'public',
                  exposed: true,
                  uuid: anId,
                  indexed: true,
                  unique: true,
                  not_null: true,
                  autosequence: true,
                  type: 'long',
                  identifying: true,
                }),
                only({
                  name: 'Name',
                  kind: 'storage',
                  fieldPos: 2,
                  scope: 'public',
                  exposed: true,
                  uuid: anId,
                  type: 'string',
                }),
                { name: 'Email', fieldPos: 3 },
                only({
                  name: 'Orders',
                  kind: 'relatedEntities',
                  scope: 'public',
                  exposed: true,
                  uuid: anId,
                  type: 'OrdersSelection',
                  reversePath: true,
                  path: 'Purchaser',
                }),
              ],
              key: [only({ name: 'ID' })],
            }),
          ],
        },
      },
    ],
  },
  {
    id: 25,
    title: 'relations in the whole catalog',
    fixture: companies,
    steps: [
      {
        send: 'GET /rest/$catalog/$all',
        reply: {
          dataClasses: [
            {
              name: 'Company',
              attributes: contains({
                name: 'staff',
                kind: 'relatedEntities',
                type: 'EmployeeSelection',
                reversePath: true,
                path: 'employer',
              }),
            },
            {
              name: 'Employee',
              attributes: contains({
                name: 'employer',
                kind: 'relatedEntity',
                type: 'Company',
                path: 'Company',
              }),
            },
          ],
        },
      },
    ],
  },
  {
    id: 27,
    title: 'the catalog of several dataclasses, in the requested order',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/$catalog/Employee,Company',
        reply: { dataClasses: [{ name: 'Employee' }, { name: 'Company' }] },
      },
    ],
  },
  {
    id: 28,
    title: 'an unknown dataclass is 404, error 1800',
    fixture: wakanda,
    steps: [
      {
        send: 'GET /rest/$catalog/Foo',
        status: 404,
        errors: [1800],
        reply: { __ERROR: [{ message: contains('"Foo"') }] },
      },
      { send: 'GET /rest/Foo', status: 404, errors: [1800] },
    ],
  },
  {
    id: 30,
    title: 'singletons with an exposed function, and no such member without an exposed function',
    fixture: cities,
    steps: [
      {
        send: 'GET /rest/$catalog/$all',
        reply: {
          singletons: [
            only({
              name: 'VehicleFactory',
              methods: [
                only({ name: 'buildVehicle', allowedOnHTTPGET: false, exposed: true }),
                only({ name: 'count', allowedOnHTTPGET: true, exposed: true }),
              ],
            }),
          ],
        },
      },
      { send: 'GET /rest/$catalog', reply: { singletons: [{ name: 'VehicleFactory' }] } },
      { send: 'GET /rest/$catalog/City', reply: { singletons: absent } },
    ],
  },
  {
    id: 'C1',
    title: 'without singletons the catalog has no such member',
    fixture: wakanda,
    steps: [{ send: 'GET /rest/$catalog/$all', reply: { singletons: absent } }],
  },
  {
    id: 'C2',
    title: 'hidden parts of the model are absent, and asking for them gives the unknown-name error',
    fixture: bank,
    steps: [
      {
        send: 'GET /rest/$catalog/$all',
        reply: {
          dataClasses: [
            {
              name: 'Account',
              attributes: [
                { name: 'ID' },
                { name: 'owner' },
                { name: 'balance' },
                { name: 'branch' },
              ],
            },
            { name: 'Branch' },
          ],
        },
      },
      {
        send: 'GET /rest/Vault',
        status: 404,
        exactly:
          '{"__ERROR":[{"message":"The \\"Vault\\" dataclass cannot be found.","componentSignature":"dbmg","errCode":1800}]}',
      },
      { send: 'GET /rest/Account?$filter="secret = hush"', status: 400, errors: [1500, 1201] },
      { send: 'GET /rest/Account?$filter="nosuch = hush"', status: 400, errors: [1500, 1201] },
      { send: 'GET /rest/Account(1)/secret', status: 404, errors: [1500, 1804] },
    ],
  },
  {
    id: 'C3',
    title: 'functions of dataclasses, computed attributes and dates',
    fixture: cities,
    steps: [
      {
        send: 'GET /rest/$catalog/City',
        reply: {
          dataClasses: [
            {
              methods: [
                { name: 'getCity', applyTo: 'dataClass' },
                { name: 'byFirstLetter' },
                { name: 'population', applyTo: 'entityCollection', allowedOnHTTPGET: true },
                only({
                  name: 'getPopulation',
                  applyTo: 'entity',
                  scope: 'public',
                  from: 'remoteServer',
                  allowedOnHTTPGET: true,
                  exposed: true,
                }),
                { name: 'getCounty', allowedOnHTTPGET: false },
                { name: 'collapse' },
              ],
              attributes: contains({
                name: 'county',
                foreignKey: 'countyFIPS',
                inverseName: 'cities',
              }),
            },
          ],
        },
      },
    ],
  },
  {
    id: 'C4',
    title: 'computed attributes, rules, images and BLOBs',
    fixture: employees,
    steps: [
      {
        send: 'GET /rest/$catalog/Employee',
        reply: {
          dataClasses: [
            {
              attributes: [
                { name: 'ID' },
                {
                  name: 'firstName',
                  indexed: absent,
                  unique: absent,
                  not_null: absent,
                  autosequence: absent,
                },
                { name: 'lastName', maxLength: 20 },
                only({
                  name: 'fullName',
                  kind: 'calculated',
                  scope: 'public',
                  exposed: true,
                  uuid: anId,
                  type: 'string',
                  readOnly: true,
                }),
                { name: 'badge', unique: true, indexed: true },
                { name: 'salary', type: 'number', min: 0, max: 60_000 },
                { name: 'grade', not_null: true },
                { name: 'employer' },
                { name: 'photo', type: 'image' },
                { name: 'cv', type: 'blob' },
              ],
            },
          ],
        },
      },
      {
        send: 'GET /rest/$catalog/Company',
        reply: { dataClasses: [{ tableNumber: 1, key: [{ name: 'ID' }], methods: absent }] },
      },
      {
        send: 'GET /rest/$catalog/Company?$metadata=full',
        reply: { dataClasses: [{ tableNumber: 1 }] },
      },
    ],
  },
]
