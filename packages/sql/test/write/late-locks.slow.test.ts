import { beforeAll, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { describeDatabases, run } from '../database.ts'
import { openBank } from '../races/bank.ts'
import { isPooled } from '../tested.ts'

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

  let balances = 0

  /** Locks an entity after a deletion by filter has found it, and before it is deleted. */
  async function removeLocked(deleting: string, before: () => Promise<void> = async () => {}) {
    const balance = (balances += 1)
    const other = await openBank(place)
    let locked: unknown = null
    let key: number | null = null
    const bank = await openBank({ ...place, connectionString: deleting }, false, (pool) =>
      pausing(pool, async () => {
        if (locked !== null || key === null) return
        locked = (await other.ask({ path: `Account(${key})?$lock=true` })).body.result
      }),
    )
    await before()
    const created = await bank.ask({ method: 'POST', path: 'Account', body: { balance } })
    const made: number = created.body.ID
    key = made
    // Not by its key, since an entity found by its key is held from the query on.
    const filter = `$filter="balance = ${balance}"&$atomic=true`
    const { status } = await bank.ask({ method: 'DELETE', path: `Account?${filter}` })
    const isKept = (await other.ask({ path: `Account(${made})` })).status === 200
    await Promise.all([bank.close(), other.close()])
    return { locked, status, isKept }
  }
  const REFUSED = { locked: true, status: 423, isKept: true }

  test('an entity that is locked after a query found it is not removed', async () => {
    expect(await removeLocked(place.connectionString)).toEqual(REFUSED)
  })

  // A pooler may not know the role.
  test.skipIf(isPooled).each(['repeatable read', 'serializable'])(
    'nor by a role whose transactions are %s since the store opened',
    async (level) => {
      const role = `${database.schema}_${level.replace(' ', '_')}`
      await run(database.pool, `CREATE ROLE "${role}" LOGIN SUPERUSER PASSWORD 'late'`)
      try {
        const address = new URL(place.connectionString)
        address.username = role
        address.password = 'late'
        const setLevel = async () => {
          await run(
            database.pool,
            `ALTER ROLE "${role}" SET default_transaction_isolation = '${level}'`,
          )
          // Connections have the settings of the role from their beginning.
          await run(
            database.pool,
            'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1',
            role,
          )
        }
        expect(await removeLocked(address.href, setLevel)).toEqual(REFUSED)
        await expect(openBank({ ...place, connectionString: address.href })).rejects.toThrow(
          `ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'read committed'`,
        )
      } finally {
        await run(database.pool, `DROP ROLE "${role}"`)
      }
    },
  )
})
