import { connect } from '@entia/client'
import { expect, test } from 'vitest'
import { type Conflict, replicate } from '../src/index.ts'
import type { Outcome } from '../src/outcomes.ts'
import { CLASSES, createOffice, PAUSES } from './office.ts'
import { until } from './waiting.ts'

const SHAPES = { Employee: true, Company: true } as const

async function opened(
  more: { readonly conflict?: (c: Conflict) => 'mine' | 'theirs' | undefined } = {},
) {
  const office = createOffice()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 10 })
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: SHAPES,
    pauses: PAUSES,
    ...more,
  })
  return { ...office, ann, replica, own: replica.store.Employee }
}

test('a transaction shows at once, without a connection too, and is applied once there is one', async () => {
  const { store, ann, replica, own, cut, connect } = await opened()
  cut()
  const raise = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 11 }))
  const hire = await replica.transact((tx) => {
    const company = tx.Company.insert({ name: 'New' })
    return tx.Employee.insert({ name: 'Eve', employer: company }).ID
  })
  expect(own.get(ann.ID)?.salary).toBe(11)
  expect(own.get(hire.result)?.employer?.name).toBe('New')
  expect(replica.waiting.count).toBe(2)
  expect(store.Employee.get(ann.ID)?.salary).toBe(10)
  connect()
  expect((await raise.outcome).kind).toBe('applied')
  expect((await hire.outcome).kind).toBe('applied')
  await replica.current()
  expect(store.Employee.get(ann.ID)).toMatchObject({ salary: 11, stamp: 2 })
  expect(store.Employee.get(hire.result)?.employer?.name).toBe('New')
  expect(own.get(ann.ID)).toMatchObject({ salary: 11, stamp: 2 })
  expect(replica.waiting.count).toBe(0)
  await replica.close()
})

const WRONG = ['', 'mein', 5, null, undefined, [], new Date(0), Promise.resolve('mine')]

test('anything but a choice is refused, and the problem stays', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  for (const conflict of [undefined, async () => 'mine']) {
    const given = { onError, ...(conflict && { conflict }) } as never
    const { store, ann, replica, cut, connect } = await opened(given)
    cut()
    const raise = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 11 }))
    store.Employee.update(ann.ID, { salary: 99 })
    connect()
    expect((await raise.outcome).kind).toBe('problem')
    const solve = (choice: unknown) => replica.solve(raise.number, choice as never)
    for (const choice of WRONG) {
      await expect(solve(choice)).rejects.toThrow(TypeError)
      await expect(solve(() => choice)).rejects.toThrow(TypeError)
    }
    await expect(solve(async () => 'mine')).rejects.toThrow(/'mine', 'theirs' or an object/)
    expect(replica.problem(raise.number)?.conflicts[0]?.mine).toEqual({ salary: 11 })
    expect((await solve('mine')).kind).toBe('applied')
    await expect(
      replica.transact((tx) => tx.Employee.remove(ann.ID), { strickt: true } as never),
    ).rejects.toMatchObject({ code: 'argumentInvalid' })
    await replica.current()
    await replica.close()
  }
  expect(errors).toEqual([expect.any(TypeError)])
})

test('a problem without conflicts is sent again or dropped, and by no other word', async () => {
  const office = createOffice({ authorize: ({ action }) => action !== 'create' })
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: SHAPES,
    pauses: PAUSES,
  })
  const hire = await replica.transact((tx) => tx.Employee.insert({ name: 'Eve' }))
  expect((await hire.outcome).kind).toBe('problem')
  for (const choice of WRONG)
    await expect(replica.solve(hire.number, choice as never)).rejects.toThrow(TypeError)
  expect(replica.problems.count).toBe(1)
  expect((await replica.solve(hire.number, 'theirs')).kind).toBe('applied')
  await replica.close()
})

test('transactions without a connection do not each try to send', async () => {
  const { store, rest } = createOffice()
  let attempts = 0
  let isUp = true
  const db = connect('http://office.test/rest', {
    fetch: async (request) => {
      if (isUp) return rest.fetch(request)
      if (request.url.endsWith('batches')) attempts++
      throw new TypeError('no connection')
    },
  })
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: SHAPES,
    pauses: { first: 10_000, longest: 10_000 },
  })
  isUp = false
  for (let at = 0; at < 50; at++) {
    await replica.transact((tx) => tx.Company.insert({ name: `C${at}` }))
    await new Promise((resolve) => setTimeout(resolve))
  }
  expect(attempts).toBe(1)
  isUp = true
  replica.reconnect()
  await replica.current()
  expect(store.Company.all().count).toBe(50)
  await replica.close()
})

test('changes of other values do not conflict; changes of the same become a problem, which can be solved', async () => {
  const { store, ann, replica, own, cut, connect } = await opened()
  cut()
  const name = await replica.transact((tx) => tx.Employee.update(ann.ID, { name: 'Anna' }))
  const salary = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 12 }))
  store.Employee.update(ann.ID, { salary: 99 })
  connect()
  expect((await name.outcome).kind).toBe('applied')
  const outcome = await salary.outcome
  expect(outcome).toEqual({
    kind: 'problem',
    problem: {
      number: salary.number,
      errors: [],
      conflicts: [
        {
          dataClass: 'Employee',
          key: ann.ID,
          base: { salary: 10 },
          mine: { salary: 12 },
          theirs: { salary: 99 },
        },
      ],
    },
  })
  await until(() => replica.waiting.count === 0)
  expect(own.get(ann.ID)).toMatchObject({ name: 'Anna', salary: 99 })
  expect(replica.problems.count).toBe(1)
  expect(replica.problem(salary.number)?.conflicts).toHaveLength(1)
  expect((await replica.solve(salary.number, 'mine')).kind).toBe('applied')
  await replica.current()
  expect(store.Employee.get(ann.ID)).toMatchObject({ name: 'Anna', salary: 12 })
  expect(replica.problems.count).toBe(0)
  await replica.close()
})

test('the option conflict decides without a user', async () => {
  for (const choice of ['mine', 'theirs'] as const) {
    const { store, ann, replica, own, cut, connect } = await opened({ conflict: () => choice })
    cut()
    const { outcome } = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 12 }))
    store.Employee.update(ann.ID, { salary: 99 })
    connect()
    expect((await outcome).kind).toBe('applied')
    await replica.current()
    expect(store.Employee.get(ann.ID)?.salary).toBe(choice === 'mine' ? 12 : 99)
    expect(own.get(ann.ID)?.salary).toBe(choice === 'mine' ? 12 : 99)
    expect(replica.problems.count).toBe(0)
    await replica.close()
  }
})

test('a removal conflicts with a change that its writer has not seen, not with one of its own', async () => {
  const { store, ann, replica, own, cut, connect } = await opened()
  const bob = store.Employee.insert({ name: 'Bob' })
  await until(() => own.get(bob.ID) !== undefined)
  cut()
  await replica.transact((tx) => tx.Employee.update(bob.ID, { name: 'Bobby' }))
  const mine = await replica.transact((tx) => tx.Employee.remove(bob.ID))
  const other = await replica.transact((tx) => tx.Employee.remove(ann.ID))
  store.Employee.update(ann.ID, { salary: 99 })
  expect(own.all().count).toBe(0)
  connect()
  expect((await mine.outcome).kind).toBe('applied')
  expect((await other.outcome).kind).toBe('problem')
  await until(() => replica.waiting.count === 0)
  expect(
    own
      .all()
      .toArray()
      .map((e) => e.salary),
  ).toEqual([99])
  await replica.solve(other.number, 'mine')
  await replica.current()
  expect(store.Employee.all().count).toBe(0)
  await replica.close()
})

test('rules and permissions of the server decide, and its words are the problem', async () => {
  const office = createOffice({
    authorize: ({ dataClass, action }) => !(dataClass === 'Company' && action === 'create'),
  })
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: SHAPES,
    pauses: PAUSES,
  })
  const { outcome, result } = await replica.transact((tx) => tx.Company.insert({ name: 'x' }).ID)
  const decided = await outcome
  expect(
    decided.kind === 'problem' && decided.problem.errors.map(({ message }) => message),
  ).toEqual(expect.arrayContaining([expect.stringMatching(/Company/)]))
  expect(replica.store.Company.get(result)).toBe(undefined)
  await replica.solve(replica.problems.first()!.number, 'theirs')
  expect(replica.problems.count).toBe(0)
  await replica.close()
})

test('a lost answer is asked for again, and the batch is applied once', async () => {
  const office = createOffice()
  const { db, wire } = office
  const replica = await replicate(db, { dataClasses: CLASSES, shapes: SHAPES, pauses: PAUSES })
  wire.lost = 2
  const { outcome } = await replica.transact((tx) => tx.Company.insert({ name: 'once' }))
  expect((await outcome).kind).toBe('applied')
  await replica.current()
  expect(office.store.Company.all().count).toBe(1)
  expect(replica.problems.count).toBe(0)
  await replica.close()
})

test('a replica gets the outcomes of all that it has made offline, also if answers are lost', async () => {
  const { store, ann, replica, own, cut, connect, wire } = await opened()
  cut()
  store.Employee.update(ann.ID, { salary: 99 })
  const made: Promise<Outcome>[] = []
  // More than the server keeps outcomes of.
  for (let salary = 1000; salary < 1450; salary++)
    made.push((await replica.transact((tx) => tx.Employee.update(ann.ID, { salary }))).outcome)
  connect()
  for (const [at, each] of made.entries()) {
    if (at % 100 === 0) wire.lost = 2
    const outcome = await each
    expect(outcome.kind === 'problem' && outcome.problem.conflicts).toHaveLength(1)
  }
  expect(own.get(ann.ID)?.salary).toBe(99)
  await replica.close()
})

test('changes that do not go through a transaction of the replica are refused', async () => {
  const { replica, ann } = await opened()
  const { Employee } = replica.store
  expect(() => Employee.update(ann.ID, { salary: 1 })).toThrow(/replica.transact/)
  expect(Employee.get(ann.ID)?.salary).toBe(10)
  await replica.close()
})

test('a closed replica takes no transaction, and ends the promises that wait for it', async () => {
  const { replica, cut } = await opened()
  cut()
  await until(() => replica.state === 'offline')
  const waits = replica.current()
  await Promise.all([
    expect(waits).rejects.toThrow('closed'),
    replica.close().then(async () => {
      const { globalStamp } = replica.store
      const late = replica.transact((tx) => tx.Employee.insert({ name: 'Late' }))
      await expect(late).rejects.toThrow('The replica is closed.')
      expect(replica.store.globalStamp).toBe(globalStamp)
    }),
  ])
  await expect(replica.current()).rejects.toThrow('closed')
})

test('forget names what would be lost', async () => {
  const { replica, ann, own, cut } = await opened()
  cut()
  await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 1 }))
  await expect(replica.forget()).rejects.toThrow(/1 transactions/)
  await replica.forget({ drop: true })
  expect(own.all().count).toBe(0)
})
