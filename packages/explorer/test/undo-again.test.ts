import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { queryOf } from '../src/page/addresses.ts'
import { type Ask, Refusal } from '../src/page/api.ts'
import { readModel } from '../src/page/model.ts'
import { createStamps, type Step, stepOfCreations, stepOfUpdates } from '../src/page/undo.ts'

const ROWS = 1500

async function openItems() {
  const Item = defineDataClass('Item', { ID: attribute.long({ key: true }), n: attribute.long() })
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(Array.from({ length: ROWS }, (_, ID) => ({ ID, n: ID })))
  const rest = createRestHandler(store)
  let requests = Number.POSITIVE_INFINITY
  const ask: Ask = async (path, { method = 'GET', parameters = {}, body, stamp } = {}) => {
    if (method === 'POST' && requests-- <= 0) throw new Refusal(0, null)
    const request = new Request(`http://localhost/rest/${path}${queryOf(parameters)}`, {
      method,
      headers: stamp === undefined ? {} : { 'if-match': `"${stamp}"` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await rest.fetch(request)
    const content = await answer.json()
    if (!answer.ok) throw new Refusal(answer.status, content)
    return content
  }
  const dataClass = readModel(await ask('$catalog/$all')).classes.get('Item')!
  const stamps = createStamps()
  return {
    store,
    dataClass,
    /** Undoes a change with a connection that is lost after some requests. */
    undo: (step: Step, before = Number.POSITIVE_INFINITY) => {
      requests = before
      return step.undo({ ask, stamps, report: () => {} })
    },
  }
}

function changeAll({ store, dataClass }: Awaited<ReturnType<typeof openItems>>): Step {
  store.transact(() => {
    for (let ID = 0; ID < ROWS; ID++) store.Item.update(ID, { n: -1 })
  })
  const changed = Array.from({ length: ROWS }, (_, n) => {
    return { key: String(n), stampBefore: 1, stamp: 2, before: { n } }
  })
  return stepOfUpdates('n of 1500', dataClass, changed)
}

test('an undo of updates that a lost connection ended continues with the others', async () => {
  const items = await openItems()
  const step = changeAll(items)
  await expect(items.undo(step, 1)).rejects.toMatchObject({ status: 0 })
  items.store.Item.update(ROWS - 1, { n: 7 })
  expect(await items.undo(step)).toEqual({
    restored: ROWS - 1,
    left: [{ key: String(ROWS - 1), message: 'somebody has changed it since' }],
  })
  expect(items.store.Item.query('n = -1').count).toBe(0)
})

test('an undo of updates can be tried again when a lock has ended', async () => {
  const items = await openItems()
  const { store } = items
  const step = changeAll(items)
  const session = store.sessions.open()
  store.locks.lock('Item', 3, session)
  await expect(items.undo(step)).rejects.toMatchObject({
    status: 423,
    message: expect.stringContaining('locked by another session'),
  })
  expect(store.Item.query('n = -1').keys()).toEqual([3])
  store.locks.unlock('Item', 3, session)
  expect(await items.undo(step)).toEqual({ restored: ROWS, left: [] })
  expect(store.Item.get(3)?.n).toBe(3)
})

test('an undo of creations that a lost connection ended continues with the others', async () => {
  const items = await openItems()
  const { store, dataClass } = items
  const created = [0, 1, 2].map((ID) => ({ key: String(ID), stamp: 1 }))
  const step = stepOfCreations('3 created', dataClass, created)
  await expect(items.undo(step, 2)).rejects.toMatchObject({ status: 0 })
  expect(await items.undo(step)).toEqual({ restored: 3, left: [] })
  expect(store.Item.query('ID < 3').count).toBe(0)
})
