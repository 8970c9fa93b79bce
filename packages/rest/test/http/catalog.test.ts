import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, get } from './send.ts'

let rest: RestHandler
let storeId: string
beforeEach(() => {
  const store = createHr()
  storeId = store.id
  rest = createRestHandler(store)
})

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

describe('the catalog', () => {
  test('$catalog lists exposed dataclasses, functions and singletons', async () => {
    const { status, body } = await get(rest, '/rest/$catalog')
    expect(status).toBe(200)
    expect(body).toEqual({
      __UNIQID: storeId,
      __BASEID: null,
      __NAME: 'hr',
      properties: { supportJSONEntityKey: true },
      methods: [
        {
          name: 'ping',
          applyTo: 'dataStore',
          scope: 'public',
          from: 'remoteServer',
          allowedOnHTTPGET: true,
          exposed: true,
        },
      ],
      dataClasses: ['Company', 'Employee', 'Setting'].map((name) => ({
        name,
        uri: `/rest/$catalog/${name}`,
        dataURI: `/rest/${name}`,
      })),
      singletons: [
        { name: 'VehicleFactory', methods: [{ name: 'buildVehicle', allowedOnHTTPGET: false, exposed: true }] },
      ],
    })
  })

  test('$catalog/Company describes one dataclass, without what is hidden', async () => {
    const { body } = await get(rest, '/rest/$catalog/Company')
    expect(Object.hasOwn(body, 'singletons')).toBe(false)
    expect(body.dataClasses).toEqual([
      {
        name: 'Company',
        className: 'Company',
        collectionName: 'CompanySelection',
        exposed: true,
        tableNumber: 1,
        scope: 'public',
        uuid: digest('hr/Company'),
        dataURI: '/rest/Company',
        extraProperties: { panelColor: '#808080', position: { x: expect.any(Number), y: expect.any(Number) } },
        attributes: [
          {
            name: 'ID',
            kind: 'storage',
            fieldPos: 1,
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/ID'),
            indexed: true,
            unique: true,
            not_null: true,
            autosequence: true,
            type: 'long',
            identifying: true,
          },
          {
            name: 'name',
            kind: 'storage',
            fieldPos: 2,
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/name'),
            indexed: true,
            not_null: true,
            type: 'string',
          },
          {
            name: 'city',
            kind: 'storage',
            fieldPos: 3,
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/city'),
            indexed: true,
            type: 'string',
          },
          {
            name: 'revenue',
            kind: 'storage',
            fieldPos: 4,
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/revenue'),
            type: 'number',
          },
          {
            name: 'employees',
            kind: 'relatedEntities',
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/employees'),
            type: 'EmployeeSelection',
            reversePath: true,
            path: 'employer',
          },
          {
            name: 'owner',
            kind: 'relatedEntity',
            scope: 'public',
            exposed: true,
            uuid: digest('hr/Company/owner'),
            type: 'Setting',
            path: 'Setting',
          },
        ],
        key: [{ name: 'ID' }],
      },
    ])
  })

  test('kinds, dates, limits and functions of an employee', async () => {
    const { body } = await get(rest, '/rest/$catalog/Employee')
    const [employee] = body.dataClasses
    const attributes = new Map<string, object>(employee.attributes.map((a: { name: string }) => [a.name, a]))
    expect(attributes.get('employer')).toMatchObject({
      kind: 'relatedEntity',
      type: 'Company',
      path: 'Company',
      foreignKey: 'employerID',
      inverseName: 'employees',
    })
    expect(attributes.get('fullName')).toMatchObject({ kind: 'calculated', type: 'string', readOnly: true })
    expect(attributes.get('employerName')).toMatchObject({ kind: 'alias', type: 'string', path: 'employer.name' })
    expect(attributes.get('birthDate')).toMatchObject({ type: 'date', simpleDate: true })
    expect(attributes.get('hired')).toMatchObject({ type: 'date', simpleDate: false })
    expect(attributes.get('salary')).toMatchObject({ min: 0, max: 60_000, indexed: true })
    expect(attributes.get('email')).toMatchObject({ unique: true })
    expect(Object.hasOwn(attributes.get('salary')!, 'unique')).toBe(false)
    expect(employee.extraProperties.panelColor).toBe('#3366cc')
    expect(employee.methods.map((m: { name: string; applyTo: string }) => [m.name, m.applyTo])).toEqual([
      ['bestPaid', 'dataClass'],
      ['greet', 'entity'],
    ])
  })

  test('$catalog/$all and a comma list describe several, in order', async () => {
    const names = async (url: string) =>
      (await get(rest, url)).body.dataClasses.map((each: { name: string }) => each.name)
    expect(await names('/rest/$catalog/$all')).toEqual(['Company', 'Employee', 'Setting'])
    expect(await names('/rest/$catalog/Employee,Company')).toEqual(['Employee', 'Company'])
    expect((await get(rest, '/rest/$catalog/$all')).body.singletons).toHaveLength(1)
  })

  test('a hidden dataclass is as unknown as one that does not exist', async () => {
    const hidden = await get(rest, '/rest/$catalog/Secret')
    const unknown = await get(rest, '/rest/$catalog/Nosuch')
    expectError(hidden, 404, 1800)
    expect(hidden.text.replaceAll('Secret', 'Nosuch')).toBe(unknown.text)
    expectError(await get(rest, '/rest/$catalog/Company,Nosuch'), 404, 1800)
    expectError(await get(rest, '/rest/$catalog/__proto__'), 404, 1800)
  })

  test('every emitted address carries the base path and can be requested', async () => {
    const based = createRestHandler(createHr(), { basePath: '/api/v1/' })
    const { body } = await get(based, '/api/v1/$catalog')
    for (const { uri, dataURI } of body.dataClasses) {
      expect((await get(based, uri)).status).toBe(200)
      expect((await get(based, dataURI)).status).toBe(200)
    }
    expectError(await get(based, '/rest/$catalog'), 404, 9108)
  })
})
