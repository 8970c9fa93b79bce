import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { Chance } from '../../rest/test/fuzz/chance.ts'
import { replicate } from '../src/index.ts'
import { mutated } from './hostile-wire.ts'
import { PAUSES } from './office.ts'

const SEED = Number(process.env.ENTIA_SEED ?? 20_260)

const Order = defineDataClass(
  'Order',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    text: attribute.string({ maxLength: 20 }),
    notes: attribute.object(),
    parent: attribute.relatedEntity('Order'),
    parts: attribute.relatedEntities('Order', 'parent'),
  },
  {
    functions: {
      add: { on: 'entity', exposed: true, run: ({ entity }, by: number) => entity.ID + by },
      count: { on: 'dataClass', exposed: true, run: ({ dataClass }) => dataClass.all().count },
    },
  },
)

function createShop() {
  const store = createDataStore({
    name: 'shop',
    dataClasses: [Order, ReplicaState],
    history: { commits: 5 },
  })
  const errors: unknown[] = []
  const rest = createRestHandler(store, { replicas: true, onError: (each) => errors.push(each) })
  for (let at = 0; at < 5; at++) store.Order.insert({ text: `o${at}` })
  return { store, rest, errors }
}

/** The bodies that a replica sends, by path. */
async function recorded(): Promise<readonly (readonly [path: string, body: string])[]> {
  const { store, rest } = createShop()
  const sent: (readonly [string, string])[] = []
  const db = connect('http://shop.test/rest', {
    fetch: async (request) => {
      sent.push([new URL(request.url).pathname, await request.clone().text()])
      return rest.fetch(request)
    },
  })
  const shapes = { Order: { filter: 'ID < 1000', with: ['parts'] } } as const
  const options = { dataClasses: [Order], lease: { Order: 4 }, pauses: PAUSES } as const
  const replica = await replicate(db, { ...options, shapes })
  await replica.current()
  for (let at = 0; at < 8; at++) store.Order.update(1, { text: `t${at}` })
  const { result } = await replica.transact((tx) => tx.Order.insert({ text: 'new' }).ID)
  await replica.transact((tx) => tx.Order.update(1, { text: 'mine', notes: { deep: [1] } }))
  await replica.transact((tx) => tx.Order.remove(2))
  await replica.callOn('Order', result, 'add', 2)
  await replica.call('Order', 'count')
  await replica.current()
  await replica.reshape({ Order: { attributes: 'text, parent' } })
  await replica.current()
  await replica.close()
  return sent
}

test(
  'a request that is changed is answered below 500, and a refused one changes nothing',
  patience,
  async () => {
    const sent = await recorded()
    expect(sent.some(([, body]) => body.includes('"marks"'))).toBe(true)
    const count = runs(Number(process.env.ENTIA_REQUESTS ?? 600)).numRuns
    const chance = new Chance(SEED)
    const statuses = new Map<number, number>()
    const start = createShop()
    const shop = start
    for (let at = 0; at < count; at++) {
      const [path, body] = chance.oneOf(sent)
      let text = body
      for (let changes = chance.below(3); changes >= 0; changes--)
        text = mutated(chance, text, () => chance.oneOf(sent)[1])
      // A stream that waits would not end.
      text = text.replace('"wait":null', '"wait":0')
      const { store, rest, errors } = shop
      const before = store.globalStamp
      const stop = new AbortController()
      const request = new Request(`http://shop.test${path}`, {
        method: 'POST',
        body: text,
        signal: stop.signal,
      })
      const answer = await rest.fetch(request)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const isWaiting = answer.status === 200 && !/"wait":0/.test(text)
      if (isWaiting) stop.abort()
      const given = isWaiting ? '' : await answer.text()
      const seen = { text, status: answer.status, given }
      expect(errors, JSON.stringify(seen)).toEqual([])
      expect(answer.status, JSON.stringify(seen)).toBeLessThan(500)
      if (answer.status >= 400) {
        expect(store.globalStamp, JSON.stringify(seen)).toBe(before)
        const { __ERROR } = JSON.parse(given) as { readonly __ERROR: readonly object[] }
        expect(__ERROR.length).toBeGreaterThan(0)
      }
      if (at % 100 === 99) store.verify()
    }
    shop.store.verify()
    if (process.env.ENTIA_REQUESTS) console.log(statuses)
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]))
  },
)
