import type { LocalAsyncStore, Untyped } from '@entia/core'
import { expect, test, vi } from 'vitest'
import { createLeague, type LeagueModel } from '../../../core/test/async/league.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

type Store = LocalAsyncStore<LeagueModel>

describeDatabases('Misused transactions of a store over a database', { on: 'one' }, (database) => {
  const withSeveral = test.skipIf(database.connectionString === null)
  const opened = (max: number): Promise<Store> =>
    openCopy(createLeague().store, database.open({ max }), database.newSchema()) as never

  // Such a call would wait for the connection until the time of the transaction is over.
  test('a body that uses the store over one connection is refused at once', async () => {
    const db = await opened(1)
    const calls: readonly ((tx: Store) => Promise<unknown>)[] = [
      () => db.Player.insert({ name: 'New' }),
      () => db.Player.get(1),
      () => db.Player.all().count(),
      () => db.Player.all().sum('goals'),
      () => db.Player.all().groupBy('name', { count: true }).toArray(),
      () => db.Player.all().entitySet(),
      () => db.Player.lock(1),
      () => db.as(null).Player.get(1),
      () => db.load('Player', [{ name: 'New' }]),
      () => (db as Untyped).call('ping'),
    ]
    for (const call of calls) {
      const began = performance.now()
      await expect(db.transact((tx) => call(tx as never))).rejects.toMatchObject({
        code: 'notInTransaction',
        message: expect.stringContaining('Use tx'),
      })
      expect(performance.now() - began).toBeLessThan(4000)
    }
    expect(await db.Player.all().count()).toBe(8)
  })

  withSeveral(
    'bodies that hold all connections and use the store are refused at once',
    async () => {
      const db = await opened(2)
      const began = performance.now()
      let running = 0
      const bodies = [1, 2].map(() =>
        db.transact(async () => {
          running++
          await vi.waitUntil(() => running === 2, { timeout: 60_000 })
          await db.Player.get(1)
        }),
      )
      const refused = (await Promise.allSettled(bodies)).flatMap((each) =>
        each.status === 'rejected' ? [each.reason] : [],
      )
      // Its connection serves the call of the other.
      expect(refused.length).toBeGreaterThan(0)
      for (const reason of refused)
        expect(reason).toMatchObject({
          code: 'notInTransaction',
          message: expect.stringContaining('raise "max" of the pool'),
        })
      expect(performance.now() - began).toBeLessThan(4000)
      // One at a time leaves a connection.
      await db.transact(async () => {
        expect(await db.Player.get(1)).toBeDefined()
      })
    },
  )

  withSeveral(
    'with several connections, the store inside a body acts as another client',
    async () => {
      const db = await opened(4)
      const failed = db.transact(async (tx) => {
        await tx.Player.remove(1)
        expect(await db.Player.get(1)).toBeDefined()
        await db.Player.insert({ name: 'Stays' })
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      expect(await db.Player.all().count()).toBe(9)
    },
  )

  test('code that a body started can use the store after the transaction', async () => {
    const db = await opened(1)
    let after = async (): Promise<unknown> => 0
    let begin = (): void => {}
    const ended = new Promise<void>((resolve) => {
      begin = resolve
    })
    await db.transact(async (tx) => {
      await tx.Player.remove(1)
      const later = ended.then(() => db.transact((inner) => inner.Player.all().count()))
      after = () => later.then(async (count) => [count, await db.Player.all().count()])
    })
    begin()
    expect(await after()).toEqual([7, 7])
  })

  test('a call of tx after its end is refused with the remedy', async () => {
    const db = await opened(4)
    const kept = await db.transact(async (tx) => ({ tx }))
    await expect(kept.tx.Player.get(1)).rejects.toMatchObject({
      code: 'notInTransaction',
      message: 'The transaction of this tx has ended. Await every call of tx inside of the body.',
    })
  })

  test('an outcome other than saved does not end the transaction', async () => {
    const db = await opened(4)
    await db.transact(async (tx) => {
      await tx.Player.update(1, { goals: 8 })
      expect((await tx.Player.update(2, { goals: -1 })).kind).toBe('refused')
    })
    expect((await db.Player.get(1))?.goals).toBe(8)
  })
})
