import { beforeAll, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { describeDatabases } from '../database.ts'
import { openBank } from '../races/bank.ts'

/** A pool that waits before it sends statements that change what a decision has read. */
const pausing = (pool: SqlPool, pause: () => Promise<void>): SqlPool => ({
  prepares: pool.prepares,
  query: (statement) => pool.query(statement),
  close: () => pool.close(),
  connect: (body) =>
    pool.connect(({ send }) =>
      body({
        async send(statements) {
          if (statements.some(({ text }) => text.includes('entia_gate'))) await pause()
          return send(statements)
        },
      }),
    ),
})

describeDatabases('late locks', { connections: 'several', on: 'one' }, (database) => {
  const place = { connectionString: database.connectionString!, schema: database.schema }
  beforeAll(async () => {
    await (await openBank(place, true)).close()
  })

  test('an entity that is locked after a query found it is not removed', async () => {
    const other = await openBank(place)
    let locked: unknown = null
    const bank = await openBank(place, false, (pool) =>
      pausing(pool, async () => {
        if (locked !== null || key === null) return
        locked = (await other.ask({ path: `Account(${key})?$lock=true` })).body.result
      }),
    )
    let key: number | null = null
    const created = await bank.ask({ method: 'POST', path: 'Account', body: { balance: 5 } })
    key = created.body.ID
    const removed = await bank.ask({
      method: 'DELETE',
      path: `Account?$filter="balance = 5"&$atomic=true`,
    })
    expect(locked).toBe(true)
    expect(removed.status).toBe(423)
    expect((await other.ask({ path: `Account(${key})` })).status).toBe(200)
    await Promise.all([bank.close(), other.close()])
  })
})
