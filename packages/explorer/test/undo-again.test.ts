import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestOptions } from '@entia/rest'
import { expect, test } from 'vitest'
import { queryOf } from '../src/page/addresses.ts'
import { type Ask, Refusal } from '../src/page/api.ts'
import { readModel } from '../src/page/model.ts'
import { planPaste } from '../src/page/paste-plan.ts'
import { saveRows } from '../src/page/paste-write.ts'
import { createStamps, type Step, stepOfCreations, stepOfUpdates } from '../src/page/undo.ts'

const ROWS = 1500

async function openItems(options: RestOptions = {}) {
  const Item = defineDataClass('Item', { ID: attribute.long({ key: true }), n: attribute.long() })
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(Array.from({ length: ROWS }, (_, ID) => ({ ID, n: ID })))
  const rest = createRestHandler(store, options)
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
    ask,
    lose: (before: number) => {
      requests = before
    },
    /** Undoes a change with a connection that is lost after some requests. */
    undo: (step: Step, before = Number.POSITIVE_INFINITY, mayLogIn = false) => {
      requests = before
      return step.undo({ ask, stamps, report: () => {}, mayLogIn })
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

const created = [0, 1, 2].map((ID) => ({ key: String(ID), stamp: 1 }))

test('an undo of creations names what a guest may not delete, and deletes the others', async () => {
  const authorize: RestOptions['authorize'] = ({ action }) => action !== 'delete' || 'n != 1'
  for (const mayLogIn of [false, true]) {
    const items = await openItems({ authorize })
    const step = stepOfCreations('3 created', items.dataClass, created)
    expect(await items.undo(step, 10, mayLogIn)).toEqual({
      restored: 2,
      left: [{ key: '1', message: expect.stringContaining('No permission to delete') }],
    })
    expect(items.store.Item.query('ID < 3').keys()).toEqual([1])
  }
})

test('an undo of creations can be tried again when a lock has ended', async () => {
  const items = await openItems()
  const { store, dataClass } = items
  const session = store.sessions.open()
  store.locks.lock('Item', 2, session)
  const step = stepOfCreations('3 created', dataClass, created)
  await expect(items.undo(step)).rejects.toMatchObject({ status: 423 })
  expect(store.Item.query('ID < 3').keys()).toEqual([2])
  store.locks.unlock('Item', 2, session)
  expect(await items.undo(step)).toEqual({ restored: 3, left: [] })
})

test('an undo whose user was logged out waits for a login where there is one', async () => {
  let user: { ID: string } | null = null
  const authorize: RestOptions['authorize'] = ({ user, action }) =>
    user !== null || action === 'describe' || action === 'read'
  const options: RestOptions = { authorize, identify: () => user }
  const refused = { status: 401, message: expect.stringContaining('No permission') }
  for (const make of [
    changeAll,
    ({ dataClass }: Awaited<ReturnType<typeof openItems>>) =>
      stepOfCreations('3 created', dataClass, created),
  ]) {
    user = null
    const items = await openItems(options)
    const step = make(items)
    await expect(items.undo(step, 10, true)).rejects.toMatchObject(refused)
    const { restored, left } = await items.undo(step)
    expect([restored, left[0]?.message]).toEqual([0, refused.message])
    user = { ID: 'ann' }
    expect((await items.undo(step)).left).toEqual([])
  }
})

test('a paste that a lost connection ends returns what is saved, so that it can be undone', async () => {
  const { store, dataClass, ask, lose, undo } = await openItems()
  const lines = Array.from({ length: ROWS }, (_, at) => [String(ROWS + at), '7'])
  const rows = planPaste(lines, ['ID', 'n'], dataClass, 'new', [])
  lose(1)
  const pasted = await saveRows(ask, dataClass, rows, () => {})
  expect(pasted).toMatchObject({ refused: [], problem: 'The server does not answer.' })
  expect(pasted.created.length).toBe(1000)
  expect(store.Item.query('n = 7 and ID >= :1', [ROWS]).count).toBe(1000)
  expect(await undo(stepOfCreations('1000 pasted', dataClass, pasted.created))).toEqual({
    restored: 1000,
    left: [],
  })
  expect(store.Item.count).toBe(ROWS)
})
