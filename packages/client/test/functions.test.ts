import {
  type AnyEntity,
  type AnySelection,
  attribute,
  createDataStore,
  defineDataClass,
  type ModelOf,
} from '@entia/core'
import { createRestHandler, outgoing } from '@entia/rest'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { connect, type EntityArgument, type RemoteEntitySet, RemoteError } from '../src/index.ts'

const Customer = defineDataClass('Customer', {
  name: attribute.string({ key: true }),
  logo: attribute.blob(),
  orders: attribute.relatedEntities('Order', 'customer'),
})
const Order = defineDataClass(
  'Order',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    /** Has the name of a member of selections. */
    call: attribute.string(),
    total: attribute.number({ notNull: true }),
    customer: attribute.relatedEntity('Customer'),
  },
  {
    functions: {
      largest: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, count: number) => dataClass.all().orderBy('total desc').page(0, count),
      },
      add: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, customer: AnyEntity, total: number) =>
          dataClass.insert({ total, customer: String(customer.key) }),
      },
      common: {
        on: 'dataClass',
        exposed: true,
        run: (_context, one: AnySelection, other: AnySelection) => one.and(other).count,
      },
      report: {
        on: 'selection',
        exposed: true,
        run: ({ selection }, label: string) => ({
          label,
          total: selection.sum('total'),
          when: new Date(0),
          first: selection.first(),
          all: selection,
        }),
      },
      text: {
        on: 'selection',
        exposed: true,
        run: ({ selection }) => outgoing(`${selection.count} orders`),
      },
      taxed: {
        on: 'entity',
        exposed: true,
        run: ({ entity }, rate: number) => entity.total * rate,
      },
      customerOf: {
        on: 'entity',
        exposed: true,
        run: async ({ entity }) => entity.customer,
      },
      fails: { on: 'entity', exposed: true, run: () => outgoing('{}', { status: 418 }) },
      secret: { on: 'entity', run: () => 1 },
    },
  },
)
interface Shop extends ModelOf<[typeof Customer, typeof Order]> {}

function openShop() {
  const store = createDataStore({
    name: 'shop',
    dataClasses: [Customer, Order],
    functions: {
      ping: { exposed: true, run: () => 'pong' },
      nothing: { exposed: true, run: () => undefined },
    },
    singletons: {
      Units: { double: { exposed: true, run: (_context, value: number) => value * 2 } },
    },
  })
  store.Customer.load([{ name: 'Ada', logo: Uint8Array.of(7) }, { name: 'Bob' }])
  store.Order.load(
    [5, 20, 10, 40].map((total, i) => ({ total, customer: i % 2 === 0 ? 'Ada' : 'Bob' })),
  )
  const { fetch } = createRestHandler(store)
  return { store, db: connect<typeof store>('http://x.example/rest', { fetch }) }
}

describe('functions', () => {
  test('of a dataclass are called, and return a selection as an entity set', async () => {
    const { store, db } = openShop()
    const largest = await db.Order.call('largest', 2)
    expectTypeOf(largest).branded.toEqualTypeOf<RemoteEntitySet<Shop, 'Order'>>()
    expect(await largest.count()).toBe(2)
    const totals: number[] = []
    for await (const { total } of largest) totals.push(total)
    expect(totals).toEqual([40, 20])
    expect(await largest.release()).toBe(true)
    expect(store.entitySets.size).toBe(0)
  })

  test('take entities and selections as arguments', async () => {
    const { store, db } = openShop()
    const ada = (await db.Customer.get('Ada'))!
    const order = await db.Order.call('add', db.Customer.asArgument(ada), 7)
    expect(order).toMatchObject({ key: 5, total: 7, customer: { key: 'Ada' } })
    expectTypeOf(order.total).toEqualTypeOf<number>()
    expect(store.Order.get(5)?.customer?.name).toBe('Ada')
    const cheap = db.Order.query`total < ${15}`
    await using set = await db.Order.query`customer.name = ${'Ada'}`.entitySet()
    expect(await db.Order.call('common', cheap, set)).toBe(3)
    expect(store.entitySets.list().map(({ id }) => id)).toEqual([set.id])
    const unsaved = db.Customer.asArgument('Bob', { logo: null })
    expectTypeOf(unsaved).toEqualTypeOf<EntityArgument>()
    expect((await db.Order.call('add', unsaved, 1)).customer).toEqual({ key: 'Bob' })
    store.Customer.update('Ada', { logo: null })
    await expect(db.Order.call('add', db.Customer.asArgument(ada), 7)).rejects.toMatchObject({
      errCode: 9111,
    })
    await expect(db.Order.call('add', db.Customer.asArgument('Nobody'), 7)).rejects.toThrow(
      '"Nobody"',
    )
  })

  test('of a selection get its order, and return JSON with entities and pages', async () => {
    const { db } = openShop()
    const some = db.Order.query`total >= ${10}`.orderBy('total desc')
    const report = await some.call('report', 'rich')
    expect(report).toMatchObject({
      label: 'rich',
      total: 70,
      when: '1970-01-01T00:00:00.000Z',
      first: { key: 4, total: 40, customer: { key: 'Bob' } },
      all: { count: 3, skip: 0, entities: [{ ID: 4 }, { ID: 2 }, { ID: 3 }] },
    })
    expectTypeOf(report.when).toEqualTypeOf<string>()
    expectTypeOf(report.all.entities[0]!.total).toEqualTypeOf<number>()
    expectTypeOf(report.first!.total).toEqualTypeOf<number>()
    const set = await some.entitySet()
    expect((await set.call('report', 'set')).total).toBe(70)
    const text = await some.call('text')
    expect([text.type, await text.text()]).toEqual(['text/plain;charset=utf-8', '3 orders'])
    expectTypeOf(text).toEqualTypeOf<Blob>()
  })

  test('of an entity accept it as it was read or by its key', async () => {
    const { db } = openShop()
    const order = (await db.Order.get(2))!
    expect(order.call).toBeNull()
    expect(await db.Order.callOn(order, 'taxed', 1.5)).toBe(30)
    expect(await db.Order.callOn(1, 'taxed', 2)).toBe(10)
    const customer = await db.Order.callOn(order, 'customerOf')
    expect([customer?.key, [...((await customer!.logo?.bytes()) ?? [])]]).toEqual(['Bob', []])
    await expect(db.Order.callOn(99, 'taxed', 1)).rejects.toMatchObject({ errCode: 1543 })
  })

  test('of the store and of singletons are called', async () => {
    const { db } = openShop()
    expect(await db.call('ping')).toBe('pong')
    expect(await db.call('nothing')).toBeNull()
    const doubled = await db.singleton('Units').call('double', 4)
    expectTypeOf(doubled).toEqualTypeOf<number>()
    expect(doubled).toBe(8)
  })

  test('that fail or are not exposed reject', async () => {
    const { db } = openShop()
    await expect(db.Order.callOn(1, 'secret')).rejects.toMatchObject({ status: 404 })
    await expect(db.Order.callOn(1, 'fails')).rejects.toThrow(RemoteError)
  })

  test('that do not exist do not compile', () => {
    const { db } = openShop()
    // @ts-expect-error: works on an entity
    void (() => db.Order.call('taxed', 1))
    // @ts-expect-error: a text is not a number
    void (() => db.Order.callOn(1, 'taxed', 'x'))
    // @ts-expect-error: an entity needs asArgument
    void (async () => db.Order.call('add', (await db.Customer.get('Ada'))!, 1))
    // @ts-expect-error: works on the dataclass
    void (() => db.Order.all().call('largest', 1))
    // @ts-expect-error: no such function
    void (() => db.call('pong'))
  })
})
