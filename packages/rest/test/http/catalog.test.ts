import { createHash } from 'node:crypto'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createThings } from './every-type.ts'
import { createHr } from './models.ts'
import { expectError, get } from './send.ts'

let rest: RestHandler
let storeId: string
beforeEach(() => {
  const store = createHr()
  storeId = store.id
  rest = createRestHandler(store)
})

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

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
        {
          name: 'VehicleFactory',
          methods: [{ name: 'buildVehicle', allowedOnHTTPGET: false, exposed: true }],
        },
      ],
    })
  })

  test('says whether selections can be followed', async () => {
    const { body } = await get(createRestHandler(createHr(), { live: true }), '/rest/$catalog')
    expect(body.properties).toEqual({ supportJSONEntityKey: true, supportLiveQueries: true })
  })

  test('$catalog/Company describes one dataclass, without hidden parts', async () => {
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
        extraProperties: {
          panelColor: '#808080',
          position: { x: expect.any(Number), y: expect.any(Number) },
        },
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

  test('the entry of Employee has kinds, dates, limits and functions', async () => {
    const { body } = await get(rest, '/rest/$catalog/Employee')
    const [employee] = body.dataClasses
    const attributes = new Map<string, object>(
      employee.attributes.map((a: { name: string }) => [a.name, a]),
    )
    expect(attributes.get('employer')).toMatchObject({
      kind: 'relatedEntity',
      type: 'Company',
      path: 'Company',
      foreignKey: 'employerID',
      inverseName: 'employees',
    })
    expect(attributes.get('fullName')).toMatchObject({
      kind: 'calculated',
      type: 'string',
      readOnly: true,
    })
    expect(attributes.get('employerName')).toMatchObject({
      kind: 'alias',
      type: 'string',
      path: 'employer.name',
    })
    expect(attributes.get('birthDate')).toMatchObject({ type: 'date', simpleDate: true })
    expect(attributes.get('hired')).toMatchObject({ type: 'date', simpleDate: false })
    expect(attributes.get('salary')).toMatchObject({ min: 0, max: 60_000, indexed: true })
    expect(attributes.get('email')).toMatchObject({ unique: true })
    expect(Object.hasOwn(attributes.get('salary')!, 'unique')).toBe(false)
    expect(employee.extraProperties.panelColor).toBe('#3366cc')
    expect(
      employee.methods.map((m: { name: string; applyTo: string }) => [m.name, m.applyTo]),
    ).toEqual([
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

  test('names the label of a dataclass, unless its attribute is hidden', async () => {
    const define = (exposed: boolean) =>
      defineDataClass(
        `Person${exposed}`,
        { ID: attribute.long({ key: true }), nick: attribute.string({ exposed }) },
        { label: 'nick' },
      )
    const dataClasses = [define(true), define(false)]
    const people = createRestHandler(createDataStore({ name: 'people', dataClasses }))
    const { body } = await get(people, '/rest/$catalog/$all')
    const labels = body.dataClasses.map(
      ({ extraProperties }: Json) => Object(extraProperties).label,
    )
    expect(labels).toEqual(['nick', undefined])
  })

  test('a hidden dataclass gets the same error as a missing one', async () => {
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

type Json = { readonly [name: string]: unknown }
type Presence = 'always' | 'where it is true' | 'where there is one'
/** Field, its value, and when it is present. */
type FieldTable = readonly (readonly [string, unknown, Presence])[]

const text = expect.any(String)
const number = expect.any(Number)
const list = expect.any(Array)
const hexadecimal = expect.stringMatching(/^[0-9a-f]{32}$/)

// biome-ignore format: tables
const TABLES = {
  envelope: [
    ['__UNIQID', expect.stringMatching(/^[0-9A-Fa-f]{32}$/), 'always'],
    ['__BASEID', null, 'always'],
    ['__NAME', 'hr', 'always'],
    ['properties', { supportJSONEntityKey: true }, 'always'],
    ['methods', list, 'always'],
    ['dataClasses', list, 'always'],
    ['singletons', list, 'where there is one'],
  ],
  datastoreMethod: [
    ['name', text, 'always'],
    ['applyTo', 'dataStore', 'always'],
    ['scope', 'public', 'always'],
    ['from', 'remoteServer', 'always'],
    ['allowedOnHTTPGET', expect.any(Boolean), 'always'],
    ['exposed', true, 'always'],
  ],
  classMethod: [
    ['name', text, 'always'],
    ['applyTo', expect.stringMatching(/^(dataClass|entityCollection|entity)$/), 'always'],
    ['scope', 'public', 'always'],
    ['from', 'remoteServer', 'always'],
    ['allowedOnHTTPGET', expect.any(Boolean), 'always'],
    ['exposed', true, 'always'],
  ],
  singleton: [
    ['name', text, 'always'],
    ['methods', list, 'always'],
  ],
  singletonMethod: [
    ['name', text, 'always'],
    ['allowedOnHTTPGET', expect.any(Boolean), 'always'],
    ['exposed', true, 'always'],
  ],
  shortDataClass: [
    ['name', text, 'always'],
    ['uri', expect.stringMatching(/^\/rest\/\$catalog\/\w+$/), 'always'],
    ['dataURI', expect.stringMatching(/^\/rest\/\w+$/), 'always'],
  ],
  dataClass: [
    ['name', text, 'always'],
    ['className', text, 'always'],
    ['collectionName', expect.stringMatching(/^\w+Selection$/), 'always'],
    ['exposed', true, 'always'],
    ['tableNumber', number, 'always'],
    ['scope', 'public', 'always'],
    ['uuid', hexadecimal, 'always'],
    ['dataURI', expect.stringMatching(/^\/rest\/\w+$/), 'always'],
    ['extraProperties', { panelColor: text, position: { x: number, y: number } }, 'always'],
    ['methods', list, 'where there is one'],
    ['attributes', list, 'always'],
    ['key', [{ name: text }], 'always'],
  ],
  storage: [
    ['name', text, 'always'],
    ['kind', 'storage', 'always'],
    ['fieldPos', number, 'always'],
    ['scope', 'public', 'always'],
    ['exposed', true, 'always'],
    ['uuid', hexadecimal, 'always'],
    ['indexed', true, 'where it is true'],
    ['unique', true, 'where it is true'],
    ['not_null', true, 'where it is true'],
    ['autosequence', true, 'where it is true'],
    ['type', text, 'always'],
    ['identifying', true, 'where it is true'],
    ['simpleDate', expect.any(Boolean), 'where there is one'],
    ['min', number, 'where there is one'],
    ['max', number, 'where there is one'],
  ],
  calculated: [
    ['name', text, 'always'],
    ['kind', 'calculated', 'always'],
    ['scope', 'public', 'always'],
    ['exposed', true, 'always'],
    ['uuid', hexadecimal, 'always'],
    ['type', text, 'always'],
    ['readOnly', true, 'where it is true'],
  ],
  alias: [
    ['name', text, 'always'],
    ['kind', 'alias', 'always'],
    ['scope', 'public', 'always'],
    ['exposed', true, 'always'],
    ['uuid', hexadecimal, 'always'],
    ['type', text, 'always'],
    ['path', text, 'where there is one'],
    ['readOnly', true, 'always'],
  ],
  relatedEntity: [
    ['name', text, 'always'],
    ['kind', 'relatedEntity', 'always'],
    ['scope', 'public', 'always'],
    ['exposed', true, 'always'],
    ['uuid', hexadecimal, 'always'],
    ['type', text, 'always'],
    ['path', text, 'always'],
    ['foreignKey', text, 'where there is one'],
    ['inverseName', text, 'where there is one'],
  ],
  relatedEntities: [
    ['name', text, 'always'],
    ['kind', 'relatedEntities', 'always'],
    ['scope', 'public', 'always'],
    ['exposed', true, 'always'],
    ['uuid', hexadecimal, 'always'],
    ['type', expect.stringMatching(/^\w+Selection$/), 'always'],
    ['reversePath', true, 'always'],
    ['path', text, 'always'],
  ],
} satisfies { readonly [table: string]: FieldTable }

/**
 * Fails unless every required field of the table is present and valid, and there are no others.
 */
function mustMatch(objects: readonly Json[], table: FieldTable): void {
  expect(objects.length).toBeGreaterThan(0)
  for (const object of objects)
    for (const [field, value, presence] of table)
      if (presence === 'always' || Object.hasOwn(object, field))
        expect([field, object[field]]).toEqual([field, value])
  const known = new Set(table.map(([field]) => field))
  expect(objects.flatMap(Object.keys).filter((field) => !known.has(field))).toEqual([])
  // A field of the table that no object has would not be checked.
  for (const [field] of table)
    expect([field, objects.some((object) => Object.hasOwn(object, field))]).toEqual([field, true])
}

describe('every field of the catalog', () => {
  const children = (objects: readonly Json[], name: string) =>
    objects.flatMap((each) => (each[name] ?? []) as Json[])

  test('is present in $catalog', async () => {
    const { body } = await get(rest, '/rest/$catalog')
    mustMatch([body], TABLES.envelope)
    mustMatch(body.methods, TABLES.datastoreMethod)
    mustMatch(body.dataClasses, TABLES.shortDataClass)
    mustMatch(body.singletons, TABLES.singleton)
    mustMatch(children(body.singletons, 'methods'), TABLES.singletonMethod)
  })

  test.each(['/rest/$catalog/$all', '/rest/$catalog/Company,Employee'])('%s', async (url) => {
    const { body } = await get(rest, url)
    const isAll = url.endsWith('$all')
    mustMatch(
      [body],
      isAll ? TABLES.envelope : TABLES.envelope.filter(([field]) => field !== 'singletons'),
    )
    mustMatch(body.methods, TABLES.datastoreMethod)
    mustMatch(body.dataClasses, TABLES.dataClass)
    mustMatch(children(body.dataClasses, 'methods'), TABLES.classMethod)
    const attributes = children(body.dataClasses, 'attributes')
    for (const kind of [
      'storage',
      'calculated',
      'alias',
      'relatedEntity',
      'relatedEntities',
    ] as const)
      mustMatch(
        attributes.filter((attribute) => attribute.kind === kind),
        TABLES[kind],
      )
  })

  test('every type is named, and every date has simpleDate', async () => {
    const { body } = await get(createRestHandler(createThings()), '/rest/$catalog/Thing')
    const described = body.dataClasses[0].attributes.map(({ name, type, simpleDate }: Json) => [
      name,
      type,
      simpleDate,
    ])
    expect(described).toEqual([
      ['ID', 'long', undefined],
      ['flag', 'bool', undefined],
      ['small', 'long', undefined],
      ['big', 'long64', undefined],
      ['real', 'number', undefined],
      ['text', 'string', undefined],
      ['token', 'uuid', undefined],
      ['day', 'date', true],
      ['moment', 'date', false],
      ['span', 'duration', undefined],
      ['notes', 'object', undefined],
      ['photo', 'image', undefined],
      ['data', 'blob', undefined],
      ['owner', 'Owner', undefined],
      ['ownerName', 'string', undefined],
      ['ownerSince', 'date', true],
      ['ownerSecret', 'string', undefined],
      ['double', 'number', undefined],
      ['loud', 'string', undefined],
    ])
  })

  test('every relation leads to a collection or dataclass that the same catalog describes', async () => {
    const { body } = await get(rest, '/rest/$catalog/$all')
    const names = new Set(
      body.dataClasses.flatMap((each: Json) => [each.name, each.collectionName]),
    )
    const relations = children(body.dataClasses, 'attributes').filter(({ kind }) =>
      String(kind).startsWith('related'),
    )
    expect(relations.length).toBeGreaterThan(2)
    for (const { type } of relations) expect(names).toContain(type)
    for (const { attributes, key } of body.dataClasses)
      expect(
        attributes.filter((each: Json) => each.identifying).map(({ name }: Json) => ({ name })),
      ).toEqual(key)
  })
})
