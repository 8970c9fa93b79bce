import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { expectError, send } from './send.ts'

const create = (onDelete: 'null' | 'cascade') =>
  createDataStore({
    name: 'shop',
    dataClasses: [
      defineDataClass('Customer', { ID: attribute.long({ key: true }) }),
      defineDataClass('Order', {
        ID: attribute.long({ key: true }),
        customer: attribute.relatedEntity('Customer', { onDelete }),
      }),
      defineDataClass('Line', {
        ID: attribute.long({ key: true }),
        order: attribute.relatedEntity('Order', { onDelete: 'cascade' }),
        customer: attribute.relatedEntity('Customer'),
      }),
    ],
  })

describe('limits.maxCascade', () => {
  test('counts the entities that cascades of one transaction remove or change, and refuses more', async () => {
    const size = fc.integer({ min: 0, max: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('null' as const, 'cascade' as const),
        fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom('key', 'filter', 'atomic'),
        async (onDelete, customers, maxCascade, way) => {
          const store = create(onDelete)
          const rest = createRestHandler(store, { limits: { maxCascade } })
          let made = 0
          const reached = customers.map(([orders, lines], at) => {
            store.Customer.insert({ ID: at })
            for (let i = 0; i < orders; i++) {
              const { ID } = store.Order.insert({ ID: made++, customer: at })
              for (let j = 0; j < lines; j++)
                store.Line.insert({ ID: made++, order: ID, customer: j % 2 === 0 ? at : null })
            }
            const alongWithOrders =
              onDelete === 'cascade'
                ? orders + orders * lines
                : orders + orders * Math.ceil(lines / 2)
            return alongWithOrders
          })
          const { globalStamp } = store
          const total = reached.reduce((sum, count) => sum + count, 0)
          const url =
            way === 'key'
              ? '/rest/Customer(0)'
              : `/rest/Customer?$filter="ID >= 0"${way === 'atomic' ? '&$atomic=true' : ''}`
          const reply = await send(rest, 'DELETE', url)
          const isRefused =
            way === 'key' ? reached[0]! > maxCascade : way === 'atomic' && total > maxCascade
          if (isRefused) {
            expect([reply.status, store.globalStamp]).toEqual([400, globalStamp])
            expect(reply.text).toContain('limits.maxCascade')
          } else if (way === 'filter')
            expect(store.Customer.count).toBe(reached.filter((count) => count > maxCascade).length)
          else
            expect([reply.status, store.Customer.count]).toEqual([
              200,
              way === 'key' ? customers.length - 1 : 0,
            ])
        },
      ),
      runs(150),
    )
  })

  test('names the remedy in its refusal', async () => {
    const store = create('cascade')
    store.Customer.insert({ ID: 1 })
    for (let ID = 0; ID < 4; ID++) store.Order.insert({ ID, customer: 1 })
    const rest = createRestHandler(store, { limits: { maxCascade: 3 } })
    const reply = await send(rest, 'DELETE', '/rest/Customer(1)')
    expectError(reply, 400, 9055, 1518)
    expect(reply.body.__ERROR[0].message).toBe(
      'The request is too expensive: entities reached by onDelete rules in one transaction (delete or change those that refer to it first, in parts) above 3 (option "limits.maxCascade").',
    )
  })

  test.each(['filter', 'items'])(
    'deletions that take much along have a time slice each: %s',
    async (way) => {
      const [customers, each] = [12, 60]
      const store = create('cascade')
      store.Customer.load(Array.from({ length: customers }, (_, ID) => ({ ID })))
      store.Order.load(
        Array.from({ length: customers * each }, (_, ID) => ({ ID, customer: ID % customers })),
      )
      const body =
        way === 'items'
          ? Array.from({ length: customers }, (_, ID) => ({ __KEY: String(ID) }))
          : undefined
      const url =
        way === 'items' ? '/rest/Customer?$method=delete' : '/rest/Customer?$filter="ID >= 0"'
      const rest = createRestHandler(store, { limits: { maxCascade: 500 } })
      const counts = new Set<number>()
      let isDone = false
      const watch = (): void => {
        counts.add(store.Customer.count)
        if (!isDone) setImmediate(watch)
      }
      watch()
      const reply = await send(rest, body === undefined ? 'DELETE' : 'POST', url, body)
      isDone = true
      expect([reply.status, store.Customer.count, store.Order.count]).toEqual([200, 0, 0])
      expect(counts.size).toBeGreaterThanOrEqual(customers - 1)
    },
  )

  test('items of a body are deleted in order, also if a cascade needs many steps', async () => {
    const store = create('cascade')
    store.Customer.load([{ ID: 1 }, { ID: 2 }])
    store.Order.load(Array.from({ length: 100 }, (_, ID) => ({ ID, customer: ID === 7 ? 2 : 1 })))
    const rest = createRestHandler(store)
    const body = ['7', '1', '2', '1'].map((__KEY) => ({ __KEY }))
    const orders = await send(rest, 'POST', '/rest/Order?$method=delete', [body[0]])
    expect(orders.status).toBe(200)
    const reply = await send(rest, 'POST', '/rest/Customer?$method=delete', body)
    expect(
      reply.body.__ENTITIES.map((each: { __ERROR?: unknown }) => each.__ERROR === undefined),
    ).toEqual([false, true, true, false])
    expect([reply.status, store.Order.count]).toEqual([207, 0])
  })
})
