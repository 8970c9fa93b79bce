import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases } from '../database.ts'

const Account = defineDataClass('Account', {
  ID: attribute.long({ key: true, autoSequence: true }),
  balance: attribute.long({ notNull: true, default: 100 }),
})

interface Accounts {
  get(key: number): { readonly balance: number } | undefined
  query(filter: string): { sum(attribute: string): number }
  insert(values: object): unknown
  update(key: number, values: object): unknown
}

describeDatabases('a function that waits', { connections: 'several', on: 'one' }, (database) => {
  /** A store with two connections, and functions that wait for something else. */
  const open = async () => {
    const calls = { begun: 0, wait: async (): Promise<void> => {} }
    const functionOf = (body: (accounts: Accounts) => () => unknown) => ({
      run: async ({ store }: { store: unknown }) => {
        const finish = body((store as { readonly Account: Accounts }).Account)
        calls.begun++
        await calls.wait()
        return finish()
      },
    })
    const options = {
      name: 'bank',
      dataClasses: [Account],
      schema: database.newSchema(),
      database: database.open({ max: 2 }),
      functions: {
        sum: functionOf((accounts) => {
          const sum = accounts.query('ID > 0').sum('balance')
          return () => sum
        }),
        add: functionOf((accounts) => {
          const { balance } = accounts.get(1)!
          return () => {
            accounts.insert({ balance: 0 })
            accounts.update(1, { balance: balance + 1 })
            return balance
          }
        }),
      },
    }
    await migrateDatabase(options as never)
    const store = await openSqlStore(options as never)
    const db = store as unknown as {
      call(name: string): Promise<unknown>
      transact(body: (tx: unknown) => Promise<unknown>): Promise<unknown>
      readonly Account: {
        insert(values: object): Promise<unknown>
        update(key: number, values: object): Promise<unknown>
        get(key: number): Promise<{ readonly balance: number } | undefined>
        all(): { count(): Promise<number>; sum(attribute: string): Promise<number> }
      }
    }
    await db.Account.insert({ balance: 100 })
    await db.Account.insert({ balance: 100 })
    return { db, calls }
  }

  test('gives its connection and its locks back after a bounded time', async () => {
    const { db, calls } = await open()
    let finish = (): void => {}
    const outside = new Promise<void>((resolve) => {
      finish = resolve
    })
    calls.wait = () => outside
    const called = Promise.all([db.call('sum'), db.call('add')])
    while (calls.begun < 2) await pause(5)
    const began = performance.now()
    // Both connections of the pool are in use, and the row is held.
    expect((await db.Account.get(2))?.balance).toBe(100)
    await db.Account.update(2, { balance: 100 })
    expect(performance.now() - began).toBeLessThan(2000)
    await pause(600)
    finish()
    const [sum, balance] = await called
    // Both end now, in any order.
    expect([200, 201]).toContain(sum)
    expect(balance).toBe(100)
    expect((await db.Account.get(1))?.balance).toBe(101)
    expect(await db.Account.all().count()).toBe(3)
  })

  test('decides again if what it has read changed meanwhile', async () => {
    const { db, calls } = await open()
    calls.wait = async () => {
      if (calls.begun > 1) return
      await pause(700)
      await db.Account.update(1, { balance: 50 })
    }
    expect(await db.call('add')).toBe(50)
    expect([(await db.Account.get(1))?.balance, await db.Account.all().count()]).toEqual([51, 3])
  })
})
