import { expect, test } from 'vitest'
import { ACCOUNTS, ask, bankSite, type Reply, START, sumOf } from './bank-site.ts'

/** A site that runs a callback in the n-th time slice. */
function siteWith(pace: number, inSlice: (slice: number) => void) {
  let slices = 0
  const site = bankSite({
    pace,
    nextSlice: async () => {
      await Promise.resolve()
      inSlice(++slices)
    },
  })
  return { ...site, slices: () => slices }
}
const all = `Account?$top=${ACCOUNTS}`

test('a long read sees one state of the store, whichever time slice a write arrives in', async () => {
  for (const path of [
    `${all}&$filter="balance >= ${START}"&$orderby=email,ID&$attributes=ID,balance`,
    `${all}&$filter="balance >= ${START}"&$orderby=email,ID&$attributes=balance,doubled`,
    `${all}&$filter="balance >= ${START}"&$attributes=balance,doubled`,
  ])
    for (let at = 1; at < 40; at++) {
      const writing: Promise<Reply>[] = []
      const { rest, slices } = siteWith(1, (slice) => {
        if (slice !== at) return
        writing.push(
          ask(rest, { method: 'POST', path: 'Account', body: { __KEY: '3', balance: 1 } }),
        )
        writing.push(ask(rest, { method: 'DELETE', path: 'Account(5)' }))
        writing.push(ask(rest, { method: 'POST', path: '$catalog/transfer', body: [7, 8, 60] }))
      })
      const reported = await ask(rest, { path })
      for (const { status } of await Promise.all(writing)) expect(status).toBe(200)
      const members: (null | { balance: number })[] = reported.body.__ENTITIES
      expect(reported.body.__COUNT).toBe(members.length)
      for (const member of members) expect(member?.balance).toBeGreaterThanOrEqual(START)
      if (at > slices()) break
    }
})

test('a read that waits for a write shows the state after it', async () => {
  const asked: Promise<Reply>[] = []
  const { rest } = siteWith(0, (slice) => {
    if (slice !== 1) return
    // The write waits for the long read, and this short search of a long page for the write.
    asked.push(ask(rest, { method: 'DELETE', path: 'Account(5)' }))
    asked.push(ask(rest, { path: `${all}&$attributes=ID,balance` }))
  })
  await ask(rest, { path: `${all}&$attributes=ID,balance` })
  const [, reported] = await Promise.all(asked)
  expect(reported!.body.__COUNT).toBe(reported!.body.__SENT)
  expect(reported!.body.__ENTITIES.every((each: unknown) => each !== null)).toBe(true)
})

test('a deletion by filter deletes the entities that satisfy it when it runs, not when it arrived', async () => {
  const asked: Promise<Reply>[] = []
  const { rest, store } = siteWith(0, (slice) => {
    if (slice !== 1) return
    asked.push(ask(rest, { method: 'POST', path: 'Account', body: { __KEY: '1', balance: 500 } }))
    asked.push(
      ask(rest, { method: 'DELETE', path: `Account?$filter="ID <= 3 and balance = ${START}"` }),
    )
    asked.push(
      ask(rest, { method: 'DELETE', path: `Account?$filter="ID <= 140 and balance = ${START}"` }),
    )
  })
  await ask(rest, { path: all })
  await Promise.all(asked)
  expect(store.Account.get(1)?.balance).toBe(500)
  expect(store.Account.query('ID <= 140').count).toBe(1)
})

test('only the first update succeeds if it makes the $filter of the others false', async () => {
  const asked: Promise<Reply>[] = []
  const { rest, store } = siteWith(0, (slice) => {
    if (slice !== 1) return
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

test('a long read shows one state of the store, also if functions and the application write during it', async () => {
  for (let at = 1; at < 40; at++) {
    const asked: Promise<Reply>[] = []
    const { rest, store, slices } = siteWith(0, (slice) => {
      if (slice !== at) return
      asked.push(ask(rest, { method: 'POST', path: '$catalog/transfer', body: [1, ACCOUNTS, 60] }))
      asked.push(
        ask(rest, { method: 'POST', path: '$catalog/slowTransfer', body: [2, ACCOUNTS, 60] }),
      )
      store.transact((tx) => {
        tx.Account.update(3, { balance: 0 })
        tx.Account.update(ACCOUNTS, { balance: 2 * START })
      })
    })
    for (const path of [
      all,
      `${all}&$attributes=ID,balance`,
      `${all}&$attributes=balance,doubled`,
    ]) {
      const reported = await ask(rest, { path })
      expect(sumOf(reported)).toBe(ACCOUNTS * START)
    }
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    if (at > slices()) break
    expect([1, 2, 3].map((ID) => store.Account.get(ID)?.balance)).toEqual([
      START - 60,
      START - 60,
      0,
    ])
  }
})

test('a sliced read of an entity set completes, also if the set is released or evicted', async () => {
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
    const reported = await ask(rest, {
      path: `Account/$entityset/${id}?$filter="balance = ${START}"&$orderby=email,ID&$top=1`,
    })
    expect(isArmed).toBe(false)
    expect([reported.status, reported.body.__COUNT]).toEqual([200, ACCOUNTS - 10])
    expect((await ask(rest, { path: `Account/$entityset/${id}` })).status).toBe(404)
  }
})
