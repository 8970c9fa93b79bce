import { liveQueries } from '@entia/core/kernel'
import { expect, test } from 'vitest'
import { replicate } from '../src/kernel.ts'
import { CLASSES, createOffice, PAUSES } from './office.ts'
import { until } from './waiting.ts'

const shapes = { Employee: true, Company: true } as const

test('a replica of the kernel reads, writes and solves problems without other capabilities', async () => {
  const office = createOffice({}, 1)
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 10 })
  const options = { dataClasses: CLASSES, shapes, pauses: PAUSES }
  const replica = await replicate(office.db, options)
  office.cut()
  const sent = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 11 }))
  const added = await replica.transact((tx) => tx.Employee.insert({ name: 'Eve', salary: 1 }))
  office.store.Employee.update(ann.ID, { salary: 99 })
  office.store.Company.insert({ name: 'New' })
  office.connect()
  expect((await sent.outcome).kind).toBe('problem')
  expect((await added.outcome).kind).toBe('applied')
  expect((await replica.solve(sent.number, 'mine')).kind).toBe('applied')
  await replica.current()
  await until(() => replica.store.Company.query('name = New').count === 1)
  expect(office.store.Employee.get(ann.ID)?.salary).toBe(11)
  expect(replica.store.Employee.query('salary > 0').orderBy('name').count).toBe(2)
  expect('live' in replica.store.Employee.all()).toBe(false)
  await replica.reshape({ Company: null })
  await replica.close()
})

test('it has the capabilities that it is given', async () => {
  const office = createOffice()
  const options = { dataClasses: CLASSES, shapes, pauses: PAUSES, capabilities: [liveQueries] }
  const replica = await replicate(office.db, options)
  const entered: number[] = []
  const live = replica.store.Employee.query('salary > 5').live((delta) => {
    entered.push(delta.entered.length)
  })
  office.store.Employee.insert({ name: 'Ann', salary: 10 })
  await until(() => entered.length === 1)
  live.stop()
  await replica.close()
})
