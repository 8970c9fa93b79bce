import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createThings } from './every-type.ts'
import { createOrders } from './models.ts'
import { get, send } from './send.ts'

let things: RestHandler
let orders: RestHandler
beforeEach(() => {
  things = createRestHandler(createThings())
  orders = createRestHandler(createOrders())
})

describe('$asArray', () => {
  test('shows values of every type as reads of entities do, without relations', async () => {
    const [first] = (await get(things, '/rest/Thing?$asArray=true&$top=1')).body
    const one = (await get(things, '/rest/Thing[1]')).body
    const { __entityModel, __DATACLASS, __TIMESTAMP, owner, ...values } = one
    expect(first).toEqual({ ...values, __KEY: 1 })
    expect([owner.__deferred.__KEY, typeof __TIMESTAMP]).toEqual(['o1', 'string'])
  })

  test('shows a text key as it is', async () => {
    const { body } = await get(things, '/rest/Owner?$asArray=true&$attributes=name')
    expect(body.map((each: { __KEY: unknown }) => each.__KEY)).toEqual(['o1', 'o2'])
  })

  test('is filtered, ordered and paged, a hundred at a time by default', async () => {
    const store = createThings()
    for (let n = 0; n < 120; n++) store.Thing.insert({ small: n })
    const rest = createRestHandler(store)
    expect((await get(rest, '/rest/Thing?$asArray=true')).body).toHaveLength(100)
    const { body } = await get(
      rest,
      '/rest/Thing?$asArray=true&$filter="small>100"&$orderby=small desc&$skip=1&$top=2&$attributes=small',
    )
    expect(body.map(({ small }: { small: number }) => small)).toEqual([118, 117])
    expect((await get(rest, '/rest/Thing?$asArray=true&$filter="ID>999"')).body).toEqual([])
  })

  test('shows the entities of a to-many relation as an array, and keeps the position of a deleted one', async () => {
    const related = await get(orders, '/rest/Users(4)/Orders?$asArray=true&$attributes=Quantity')
    expect(related.body).toEqual([{ __KEY: 10, __STAMP: 1, Quantity: 2 }])
    const set = (await get(orders, '/rest/Products?$filter="ID<4"&$method=entityset')).body
      .__ENTITYSET
    await send(orders, 'DELETE', '/rest/Products[2]')
    const { body } = await get(orders, `${set}?$asArray=true&$attributes=ID`)
    expect(body).toEqual([
      { __KEY: 1, __STAMP: 1, ID: 1 },
      { __STAMP: 0 },
      { __KEY: 3, __STAMP: 1, ID: 3 },
    ])
  })

  test('shows an image or a BLOB that $expand names next to values', async () => {
    const [both] = (await get(things, '/rest/Thing?$asArray=true&$expand=small,photo&$top=1')).body
    const [same] = (await get(things, '/rest/Thing?$asArray=true&$attributes=small,photo&$top=1'))
      .body
    expect(both).toEqual(same)
    const [all] = (await get(things, '/rest/Thing?$asArray=true&$expand=photo&$top=1')).body
    expect(all).toEqual((await get(things, '/rest/Thing?$asArray=true&$top=1')).body[0])
  })

  test('changes nothing where the answer is one entity', async () => {
    for (const url of ['/rest/Thing[1]', '/rest/Thing[1]/owner', '/rest/Owner:name(Otto)'])
      expect((await get(things, `${url}?$asArray=true`)).text).toBe((await get(things, url)).text)
  })

  test('accepts only true or false', async () => {
    expect((await get(things, '/rest/Thing?$asArray=yes')).status).toBe(400)
    expect((await get(things, '/rest/Thing?$asArray=0')).body.__COUNT).toBe(3)
  })
})
