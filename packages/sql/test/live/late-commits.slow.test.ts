import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import type { SqlPool, SqlRows, SqlValue } from '../../src/connect/port.ts'
import { CommitLog } from '../../src/live/commit-log.ts'
import { CommitPoller } from '../../src/live/commit-poller.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { describeDatabases, run } from '../database.ts'
import { openBank } from './bank.ts'
import { quick } from './quick.ts'

/** A transaction that stays open between the steps of a schedule. */
interface OpenTransaction {
  send(text: string, ...values: SqlValue[]): Promise<SqlRows>
  /** Gives the connection back. */
  end(): Promise<void>
}

async function begin(pool: SqlPool): Promise<OpenTransaction> {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return new Promise((resolve, reject) => {
    const lease = pool.connect(async ({ send }) => {
      const one = async (text: string, ...values: SqlValue[]): Promise<SqlRows> =>
        (await send([statementOfText(text, values)]))[0]!
      await one('BEGIN')
      resolve({
        send: one,
        end() {
          end()
          return lease
        },
      })
      await ended
    })
    lease.catch(reject)
  })
}

/** Where the transaction of an actor is: each step takes it one place further. */
type Place = 'none' | 'numbered' | 'gated'

const ACTORS = 3

describeDatabases('commits that become visible late', { connections: 'several' }, (database) => {
  let schema = ''
  let pool: SqlPool
  let log: CommitLog
  let commits = 0
  beforeAll(async () => {
    schema = database.newSchema()
    pool = database.open({ max: ACTORS + 2 })
    const { store } = await openBank(database.open(), schema, { globalStamp: 'rising' })
    log = new CommitLog(pool, sqlModelOf(store.catalog, { schema }) as SqlModel)
    await store.close()
  })

  const gate = async (
    transaction: OpenTransaction,
    id: string,
    { reads = [], seen = null }: { reads?: readonly string[]; seen?: string | null } = {},
  ): Promise<number> => {
    const { rows } = await transaction.send(
      `SELECT "${schema}".entia_gate(0, $1::text[], coalesce($2, pg_current_snapshot()::text), ARRAY[$3], ARRAY[0]::bigint[], $3)`,
      reads,
      seen,
      id,
    )
    return Number(rows[0]![0])
  }

  /** Polls continuously; `poll` waits for the answer to a statement that is sent after the call. */
  async function startPoller() {
    const changed: string[] = []
    let heard = (): void => {}
    const poller = new CommitPoller({
      log,
      pause: quick,
      onError: (error) => {
        throw error
      },
    })
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve
      })
    await poller.listen((news) => {
      changed.push(...(news.changed ?? []))
      heard()
    })
    return {
      changed,
      async poll() {
        await next()
        await next()
      },
      close: () => poller.close(),
    }
  }

  test('a reader never loses what it has seen, and no follower skips a commit', async () => {
    const step = fc.record({
      actor: fc.nat(ACTORS - 1),
      ends: fc.constantFrom('COMMIT', 'COMMIT', 'ROLLBACK'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 7 }), async (steps) => {
        const actors = Array.from({ length: ACTORS }, () => ({
          place: 'none' as Place,
          transaction: null as OpenTransaction | null,
          id: '',
        }))
        const committed: string[] = []
        const first = await log.globalStamp()
        /** The highest stamp that was shown, and the commits up to it as they were then. */
        let shown = { stamp: first, ids: [] as readonly string[] }
        let followed: readonly number[] = []
        const poller = await startPoller()

        const take = async (actor: (typeof actors)[0], ends: string): Promise<void> => {
          switch (actor.place) {
            case 'none':
              actor.transaction = await begin(pool)
              await actor.transaction.send('SELECT pg_current_xact_id()')
              actor.place = 'numbered'
              return
            case 'numbered':
              actor.id = `c${commits++}`
              await gate(actor.transaction!, actor.id)
              actor.place = 'gated'
              return
            case 'gated':
              await actor.transaction!.send(ends)
              await actor.transaction!.end()
              if (ends === 'COMMIT') committed.push(actor.id)
              actor.place = 'none'
          }
        }
        const check = async (): Promise<void> => {
          const { rows } = await run(
            pool,
            `SELECT id FROM "${schema}".entia_commit WHERE stamp > $1 AND stamp <= $2 ORDER BY stamp`,
            first,
            shown.stamp,
          )
          expect(rows.map(([id]) => id)).toEqual(shown.ids)
          const last = followed.at(-1) ?? first
          const page = await log.commitsSince(last, 100)
          followed = [...followed, ...page.commits.map(({ globalStamp }) => globalStamp)]
          const after = await run(
            pool,
            `SELECT id, stamp FROM "${schema}".entia_commit WHERE stamp > $1 AND stamp <= $2 ORDER BY stamp`,
            first,
            page.globalStamp,
          )
          expect(followed).toEqual(after.rows.map(([, stamp]) => Number(stamp)))
          expect(page.globalStamp).toBeGreaterThanOrEqual(shown.stamp)
          shown = { stamp: page.globalStamp, ids: after.rows.map(([id]) => String(id)) }
          await poller.poll()
        }

        try {
          for (const { actor, ends } of steps) {
            await take(actors[actor]!, ends)
            await check()
          }
          for (const actor of actors)
            while (actor.place !== 'none') {
              await take(actor, 'COMMIT')
              await check()
            }
          // Transactions of others may hold back commits of earlier runs: these are reported, too.
          expect(poller.changed).toEqual(expect.arrayContaining(committed))
        } finally {
          for (const { place, transaction } of actors)
            if (place !== 'none') await transaction?.end()
          await poller.close()
        }
      }),
      runs(4),
    )
  }, 600_000)

  test('a decision is refused if a commit that it could not see changed what it queried', async () => {
    const writer = await begin(pool)
    await gate(writer, 'Late')
    const reader = await begin(pool)
    const { rows } = await reader.send('SELECT pg_current_snapshot()::text')
    const seen = String(rows[0]![0])
    // Its number is lower than that of the reader, and the reader cannot see it.
    await writer.send('COMMIT')
    await writer.end()
    await reader.send('SAVEPOINT before')
    await expect(gate(reader, 'a', { reads: ['Late'], seen })).rejects.toMatchObject({
      failure: 'conflict',
      sqlState: 'EN001',
    })
    await reader.send('ROLLBACK TO before')
    await gate(reader, 'b', { reads: ['Other'], seen })
    await reader.send('COMMIT')
    await reader.end()
    const next = await begin(pool)
    await gate(next, 'c', { reads: ['Late', 'b'] })
    await next.send('ROLLBACK')
    await next.end()
  })
})
