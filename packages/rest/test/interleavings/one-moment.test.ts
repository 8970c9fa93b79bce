import { expect, test } from 'vitest'
import { ACCOUNTS, ask, bankSite, START, sumOf, type Told } from './bank-site.ts'

/** A site where something is done in the n-th turn that anybody waits for. */
function siteWith(pace: number, inTurn: (turn: number) => void) {
  let turns = 0
  const site = bankSite({
    pace,
    nextSlice: async () => {
      await Promise.resolve()
      inTurn(++turns)
    },
  })
  return { ...site, turns: () => turns }
}
const all = `Account?$top=${ACCOUNTS}`

test('what a long read finds and what it shows are of one moment, whichever turn a write comes in', async () => {
  for (const path of [
    `${all}&$filter="balance >= ${START}"&$orderby=email,ID&$attributes=ID,balance`,
    `${all}&$filter="balance >= ${START}"&$orderby=email,ID&$attributes=balance,doubled`,
    `${all}&$filter="balance >= ${START}"&$attributes=balance,doubled`,
  ])
    for (let at = 1; at < 40; at++) {
      const writing: Promise<Told>[] = []
      const { rest, turns } = siteWith(1, (turn) => {
        if (turn !== at) return
        writing.push(ask(rest, { method: 'POST', path: 'Account', body: { __KEY: '3', balance: 1 } }))
        writing.push(ask(rest, { method: 'DELETE', path: 'Account(5)' }))
        writing.push(ask(rest, { method: 'POST', path: '$catalog/transfer', body: [7, 8, 60] }))
      })
      const told = await ask(rest, { path })
      for (const { status } of await Promise.all(writing)) expect(status).toBe(200)
      const members: (null | { balance: number })[] = told.body.__ENTITIES
      expect(told.body.__COUNT).toBe(members.length)
      for (const member of members) expect(member?.balance).toBeGreaterThanOrEqual(START)
      if (at > turns()) break
    }
})

test('a read that waits behind a write finds and shows what that left', async () => {
  const asked: Promise<Told>[] = []
  const { rest } = siteWith(0, (turn) => {
    if (turn !== 1) return
    // The write waits for the long read, and this short search of a long page for the write.
    asked.push(ask(rest, { method: 'DELETE', path: 'Account(5)' }))
    asked.push(ask(rest, { path: `${all}&$attributes=ID,balance` }))
  })
  await ask(rest, { path: `${all}&$attributes=ID,balance` })
  const [, told] = await Promise.all(asked)
  expect(told!.body.__COUNT).toBe(told!.body.__SENT)
  expect(told!.body.__ENTITIES.every((each: unknown) => each !== null)).toBe(true)
})

test('a deletion by filter deletes what satisfies it when it is done, not when it was asked', async () => {
  const asked: Promise<Told>[] = []
  const { rest, store } = siteWith(0, (turn) => {
    if (turn !== 1) return
    asked.push(ask(rest, { method: 'POST', path: 'Account', body: { __KEY: '1', balance: 500 } }))
    asked.push(ask(rest, { method: 'DELETE', path: `Account?$filter="ID <= 3 and balance = ${START}"` }))
    asked.push(ask(rest, { method: 'DELETE', path: `Account?$filter="ID <= 140 and balance = ${START}"` }))
  })
  await ask(rest, { path: all })
  await Promise.all(asked)
  expect(store.Account.get(1)?.balance).toBe(500)
  expect(store.Account.query('ID <= 140').count).toBe(1)
})

test('of updates under one $filter that the first makes false, the first alone is made', async () => {
  const asked: Promise<Told>[] = []
  const { rest, store } = siteWith(0, (turn) => {
    if (turn !== 1) return
    for (const balance of [1, 2, 3])
      asked.push(
        ask(rest, {
          method: 'POST',
          path: `Account?$filter="balance = ${START}"`,
          body: { __KEY: '1', balance },
        }),
      )
  })
  await ask(rest, { path: all })
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(store.Account.get(1)?.stamp).toBe(2)
})

test('functions and the application may write in any turn of a long read: it shows one moment all the same', async () => {
  for (let at = 1; at < 40; at++) {
    const asked: Promise<Told>[] = []
    const { rest, store, turns } = siteWith(0, (turn) => {
      if (turn !== at) return
      asked.push(ask(rest, { method: 'POST', path: '$catalog/transfer', body: [1, ACCOUNTS, 60] }))
      asked.push(ask(rest, { method: 'POST', path: '$catalog/slowTransfer', body: [2, ACCOUNTS, 60] }))
      store.transact((tx) => {
        tx.Account.update(3, { balance: 0 })
        tx.Account.update(ACCOUNTS, { balance: 2 * START })
      })
    })
    for (const path of [all, `${all}&$attributes=ID,balance`, `${all}&$attributes=balance,doubled`]) {
      const told = await ask(rest, { path })
      expect(sumOf(told)).toBe(ACCOUNTS * START)
    }
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    if (at > turns()) break
    expect([1, 2, 3].map((ID) => store.Account.get(ID)?.balance)).toEqual([START - 60, START - 60, 0])
  }
})

test('an entity set that is released or pushed out while a request reads it in turns is read to its end', async () => {
  for (const ending of ['released', 'pushed out']) {
    let isArmed = false
    const { rest, store } = bankSite({
      pace: 1,
      maxSets: 1,
      nextSlice: async () => {
        if (!isArmed) return
        isArmed = false
        if (ending === 'released') expect(store.entitySets.release(id)).toBe(true)
        else store.entitySets.create(store.Account.query('ID = 1'))
      },
    })
    const id = store.entitySets.create(store.Account.query('ID > 10'))
    isArmed = true
    const told = await ask(rest, {
      path: `Account/$entityset/${id}?$filter="balance = ${START}"&$orderby=email,ID&$top=1`,
    })
    expect(isArmed).toBe(false)
    expect([told.status, told.body.__COUNT]).toEqual([200, ACCOUNTS - 10])
    expect((await ask(rest, { path: `Account/$entityset/${id}` })).status).toBe(404)
  }
})
