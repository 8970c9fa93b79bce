import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { describeDatabases, run, untilWritten } from '../database.ts'
import { type Bank, openBank } from '../races/bank.ts'
import { isPooled } from '../tested.ts'
import { cuttingProxy } from './cutting-proxy.ts'

const BATCHES = Number(process.env.ENTIA_BATCHES ?? 25)

const cut = fc.record({
  direction: fc.constantFrom('toServer' as const, 'toClient' as const),
  // A batch sends about 4 kB and gets about 1.5 kB; small numbers hit its beginning.
  bytes: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 5000 })),
  isLate: fc.boolean(),
})
const cuts = fc.array(cut, { minLength: 1, maxLength: 5 })

describeDatabases('lost connections', { connections: 'several', on: 'one' }, (database) => {
  const { schema, pool } = database
  let proxy: Awaited<ReturnType<typeof cuttingProxy>>
  let bank: Bank
  beforeAll(async () => {
    proxy = await cuttingProxy(database.connectionString!)
    await (await openBank({ connectionString: database.connectionString!, schema }, true)).close()
    bank = await openBank({ connectionString: proxy.connectionString, schema })
    return async () => {
      await bank.close()
      await proxy.close()
    }
  })

  /** Behind a pooler the connection may be one of those that the test ends. */
  const rows = async (text: string, ...values: string[]) => {
    for (let attempt = 1; ; attempt++)
      try {
        return (await run(pool, text.replaceAll('$schema', `"${schema}"`), ...values)).rows
      } catch (error) {
        if (!isPooled || attempt === 10) throw error
      }
  }

  /**
   * Sends an atomic batch, and checks that its answer is true and that nothing is half. One without
   * unique values takes a single round trip, which gives the keys, too.
   */
  async function checkBatch(mark: string, hasEmails: boolean): Promise<number> {
    const stampOf = async () => Number((await rows('SELECT stamp FROM $schema.entia_store'))[0]![0])
    const before = await stampOf()
    // No other account has such a balance.
    const balance = (batches += 2) * 1000
    const items = hasEmails
      ? [{ email: `${mark}a` }, { email: `${mark}b`, balance: 7 }]
      : [{ balance }, { balance: balance + 1000 }]
    const reply = await bank.ask({
      method: 'POST',
      path: 'Account?$atomic=true',
      body: items,
    })
    proxy.cut([])
    await rows(untilWritten(schema))
    const after = await stampOf()
    const values = hasEmails ? [`${mark}a`, `${mark}b`] : [`${balance}`, `${balance + 1000}`]
    const column = hasEmails ? 'email' : 'balance'
    const stored = await rows(
      `SELECT "ID" FROM $schema."Account" WHERE "${column}"::text IN ($1, $2) ORDER BY "ID"`,
      ...values,
    )
    const changes = await rows(
      `SELECT c.key FROM $schema.entia_change c JOIN $schema.entia_commit t ON t.id = c.commit_id
        WHERE c.written->>'${column}' = $1`,
      values[0]!,
    )
    const isStored = reply.status === 200
    const keys = (reply.body.__ENTITIES ?? []).map(({ ID }: { readonly ID: number }) => [ID])
    if (isStored) expect(keys).toEqual(stored)
    expect([200, 503]).toContain(reply.status)
    expect(stored).toHaveLength(isStored ? 2 : 0)
    expect(changes).toHaveLength(isStored ? 1 : 0)
    expect(after).toBe(isStored ? before + 1 : before)
    expect(JSON.stringify(reply.body)).not.toMatch(/ECONN|terminat|socket|pg_|SELECT/i)
    return reply.status
  }

  let batches = 0

  test('the answer to a batch is correct wherever its connections break', async () => {
    const counts = new Map<number, number>()
    let at = 0
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (cuts, hasEmails) => {
        proxy.cut(cuts)
        const status = await checkBatch(`cut${at++}`, hasEmails)
        counts.set(status, (counts.get(status) ?? 0) + 1)
        // The pool recovers by itself.
        expect((await bank.ask({ path: 'Account?$top=1' })).status).toBe(200)
      }),
      runs(BATCHES, BATCHES),
    )
    expect(proxy.count).toBeGreaterThan(BATCHES / 2)
    expect(counts.get(200)).toBeGreaterThan(0)
    if (BATCHES >= 100) console.log(`${BATCHES} batches, ${proxy.count} cuts, answers`, counts)
  }, 600_000)

  test('the answer to a batch is correct whenever the database ends its connections', async () => {
    let ended = 0
    let at = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
        fc.boolean(),
        async (waits, hasEmails) => {
          const endAll = async (): Promise<void> => {
            for (const wait of waits) {
              await new Promise((resolve) => setTimeout(resolve, wait))
              const found = await rows(
                'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
                schema,
              )
              ended += found.length
            }
          }
          const ending = endAll()
          await checkBatch(`end${at++}`, hasEmails)
          await ending
          expect((await bank.ask({ path: 'Account?$top=1' })).status).toBe(200)
        },
      ),
      runs(BATCHES, BATCHES),
    )
    expect(ended).toBeGreaterThan(0)
  }, 600_000)
})
