import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createThings } from './every-type.ts'
import { createOrders } from './models.ts'
import { expectError, get, send } from './send.ts'

let things: RestHandler
let orders: RestHandler
beforeEach(() => {
  things = createRestHandler(createThings())
  orders = createRestHandler(createOrders())
})

const semantics = (conceptType: string, semanticGroup: string, semanticType: string) => ({
  conceptType,
  semanticGroup,
  semanticType,
})
const NUMBER = { dataType: 'NUMBER', semantics: semantics('METRIC', 'NUMERIC', 'NUMBER') }
const DURATION = { dataType: 'NUMBER', semantics: semantics('METRIC', 'NUMERIC', 'DURATION') }
const TEXT = { dataType: 'STRING', semantics: semantics('DIMENSION', 'TEXT', 'TEXT') }
const BOOLEAN = { dataType: 'BOOLEAN', semantics: semantics('DIMENSION', 'BOOLEAN', 'BOOLEAN') }
const DAY = { dataType: 'STRING', semantics: semantics('DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY') }
const MOMENT = {
  dataType: 'STRING',
  semantics: semantics('DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY_SECOND'),
}

/** Column, what it is called, and its cell in each of the three rows. */
// biome-ignore format: a table
const COLUMNS: readonly (readonly [string, object, readonly unknown[]])[] = [
  ['ID', NUMBER, [1, 2, 3]],
  ['flag', BOOLEAN, [true, false, null]],
  ['small', NUMBER, [-3, 4, null]],
  ['big', NUMBER, [9007199254740991, 0, null]],
  ['real', NUMBER, [1.5, -0.5, null]],
  ['text', TEXT, ['Été', 'ete', null]],
  ['token', TEXT, ['00112233445566778899AABBCCDDEEFF', 'FF112233445566778899AABBCCDDEEFF', null]],
  ['day', DAY, ['20240131', '20230501', null]],
  ['moment', MOMENT, ['20240131080509', '20251231235959', null]],
  // Seconds
  ['span', DURATION, [90.5, 0, null]],
  ['ownerName', TEXT, ['Olga', 'Otto', null]],
  ['ownerSince', DAY, ['19991231', null, null]],
  ['ownerSecret', TEXT, [null, null, null]],
  ['double', NUMBER, [3, -1, null]],
  ['loud', TEXT, ['Été!', 'ete!', null]],
]

describe('a dashboard', () => {
  test('has a column for each scalar attribute of every type, and no others', async () => {
    const { status, body } = await get(things, '/rest/Thing?$format=dashboard')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['schema', 'rows', 'filtersApplied', '__COUNT', '__FIRST'])
    expect(body).toEqual({
      schema: COLUMNS.map(([name, type]) => ({ name, ...type })),
      rows: [0, 1, 2].map((row) => ({ values: COLUMNS.map(([, , cells]) => cells[row]) })),
      filtersApplied: false,
      __COUNT: 3,
      __FIRST: 0,
    })
  })

  test('is also available under its older name', async () => {
    const older = await get(things, '/rest/Thing?$format=looker')
    expect(older.text).toBe((await get(things, '/rest/Thing?$format=dashboard')).text)
  })

  test.each([
    ['$attributes=text,small', ['text', 'small'], ['Été', -3]],
    ['$attributes=small,text,small', ['small', 'text'], [-3, 'Été']],
    ['$attributes=owner.name,text', ['owner.name', 'text'], ['Olga', 'Été']],
    [
      '$attributes=owner.*',
      ['owner.code', 'owner.name', 'owner.since'],
      ['o1', 'Olga', '19991231'],
    ],
    [
      '$attributes=owner.since,owner.name&$expand=owner',
      ['owner.since', 'owner.name'],
      ['19991231', 'Olga'],
    ],
  ])('%s shows %j', async (query, names, cells) => {
    const { body } = await get(things, `/rest/Thing?$format=dashboard&$top=1&${query}`)
    expect(body.schema.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(body.rows).toEqual([{ values: cells }])
  })

  test('takes a list in the path, and shows null for an empty relation', async () => {
    const { body } = await get(things, '/rest/Thing/ID,owner.name?$format=dashboard&$skip=2')
    expect(body.rows).toEqual([{ values: [3, null] }])
  })

  test('is filtered, ordered and paged, with the count of all pages', async () => {
    const { body } = await get(
      orders,
      '/rest/Orders?$filter="ID<4"&$orderby=ID desc&$skip=1&$top=1&$attributes=ID,Purchaser.Name&$format=dashboard',
    )
    expect(body.rows).toEqual([{ values: [2, 'user2'] }])
    expect([body.filtersApplied, body.__COUNT, body.__FIRST]).toEqual([true, 3, 1])
    const past = await get(orders, '/rest/Orders?$skip=99&$format=dashboard')
    expect([past.body.rows, past.body.__COUNT, past.body.__FIRST]).toEqual([[], 20, 99])
    expect(
      (await get(orders, '/rest/Orders(1)/paymentsSelection?$format=dashboard&$top=1')).body
        .__COUNT,
    ).toBe(20)
  })

  test('of an entity set has no row, position or count for deleted entities', async () => {
    const made = await get(orders, '/rest/Payments?$filter="ID<6"&$method=entityset')
    const set = made.body.__ENTITYSET
    await send(orders, 'DELETE', '/rest/Payments[2]')
    expect((await get(orders, set)).body.__COUNT).toBe(5)
    const { body } = await get(orders, `${set}?$format=dashboard&$attributes=ID&$skip=1&$top=2`)
    expect(body.rows).toEqual([{ values: [3] }, { values: [4] }])
    expect([body.__COUNT, body.__FIRST, body.filtersApplied]).toEqual([4, 1, false])
  })

  test('shows the plan and the path first', async () => {
    const url = '/rest/Orders?$format=dashboard&$filter="Quantity > 4"'
    const { body } = await get(orders, `${url}&$queryplan=true&$querypath=true`)
    expect(Object.keys(body).slice(0, 5)).toEqual([
      '__queryPlan',
      '__extendedQueryPlan',
      '__queryPath',
      '__extendedQueryPath',
      'schema',
    ])
  })

  test('is refused without rows or scalars', async () => {
    const refused = async (path: string, status: number, ...codes: number[]) =>
      expectError(
        await get(things, `/rest/${path}${path.includes('?') ? '&' : '?'}$format=dashboard`),
        status,
        ...codes,
      )
    await refused('Thing(1)', 400, 1813)
    await refused('Thing(1)/owner', 400, 1813)
    await refused('Thing/small?$compute=sum', 400, 1813)
    await refused('Thing/small?$distinct=true', 400, 1813)
    await refused('Thing?$asArray=true', 400, 1813)
    await refused('Thing?$method=entityset', 400, 1813)
    for (const path of [
      'owner',
      'photo',
      'data',
      'notes',
      'notes.rank',
      'owner.things',
      'owner.things.ID',
      'text.*',
    ])
      await refused(`Thing?$attributes=${path}`, 400, 1508)
    await refused('Owner?$attributes=things.*', 400, 1508)
    await refused('Thing?$attributes=nosuch', 404, 1500, 1804)
    await refused('Thing?$attributes=hidden', 404, 1500, 1804)
    await refused('Thing?$attributes=owner.secret', 404, 1500, 1804)
    await refused('Thing?$expand=nosuch', 404, 1500, 1805)
    await refused('Thing?$orderby=nosuch', 404, 1500, 1810)
    await refused('Thing?$filter="nosuch=1"', 400, 1500, 1201)
    expectError(await get(things, '/rest/Thing?$format=xml'), 400, 1801)
  })
})
