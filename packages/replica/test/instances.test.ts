import { openDump } from '@entia/core'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

test('a server that was put back, and is at the same position by other commits, is compared', async () => {
  const office = createOffice()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const backup = office.store.dump()
  let rest = office.rest
  const fetch: RestHandler['fetch'] = (request) => rest.fetch(request)
  const link = linkTo({ fetch } as RestHandler)
  const replica = await replicate(link.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true },
    pauses: PAUSES,
  })
  office.store.Employee.update(ann.ID, { salary: 2 })
  await until(() => replica.store.Employee.get(ann.ID)?.salary === 2)
  link.cut()
  const store = openDump(backup, { name: 'office', dataClasses: [...CLASSES, ReplicaState] })
  store.Employee.insert({ name: 'Bob' })
  expect(store.globalStamp).toBe(office.store.globalStamp)
  rest = createRestHandler(store, { replicas: true })
  link.connect()
  const there = JSON.stringify(rowsOf(store.Employee.all()))
  await until(() => JSON.stringify(rowsOf(replica.store.Employee.all())) === there)
  await replica.close()
})

test('a replica that nothing has concerned for longer than the history gets the changed value only', async () => {
  const { store, db, wire } = createOffice({}, 3)
  const ann = store.Employee.insert({ name: 'Ann', salary: 1 })
  const bob = store.Employee.insert({ name: 'Bob', salary: 0 })
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Employee: { filter: 'salary > 0' } },
    pauses: PAUSES,
  })
  for (let at = 0; at < 20; at++) store.Employee.update(bob.ID, { name: `Bob ${at}` })
  store.Employee.update(ann.ID, { salary: 2 })
  await until(() => replica.store.Employee.get(ann.ID)?.salary === 2)
  const changes = wire.lines
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('[0,"'))
  expect(changes.map((line) => JSON.parse(line).slice(4))).toEqual([[[2], [2]]])
  await replica.close()
})

test('a batch that is sent again is not made again, also if its values could be', async () => {
  const { store, rest } = createOffice()
  const { ID: key } = store.Employee.insert({ name: 'Ann', salary: 1 })
  const item = { kind: 'update', dataClass: 'Employee', key, stamp: 1 }
  const items = [{ ...item, values: { salary: 2 }, before: { salary: 1 } }]
  const body = JSON.stringify({ replica: 'x'.repeat(22), batches: [{ number: 1, items }] })
  const send = async () => {
    const url = 'http://office.test/rest/$replica/batches'
    const answer = await rest.fetch(new Request(url, { method: 'POST', body }))
    return ((await answer.json()) as { outcomes: unknown }).outcomes
  }
  expect(await send()).toMatchObject([{ number: 1, kind: 'applied' }])
  store.Employee.update(key, { salary: 1 })
  expect(await send()).toMatchObject([{ number: 1, kind: 'applied' }])
  expect(store.Employee.get(key)?.salary).toBe(1)
})
