import { isEntiaError } from '@entia/core'
import { expect, test } from 'vitest'
import { describeDatabases, run } from '../database.ts'
import { openBank } from './bank.ts'

/** The next commits of an iteration. */
async function take<T>(all: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const each of all) if (taken.push(each) === count) break
  return taken
}

describeDatabases('changes', { on: 'one' }, ({ newSchema, open }) => {
  test('yield the commits after a stamp and then each new one, with the values that changed', async () => {
    const [pool, schema] = [open(), newSchema()]
    const { store, save, remove } = await openBank(pool, schema)
    await save('Owner', { ID: 1, name: 'Ada' }, { ID: 2, name: 'Bo' })
    await save('Account', { balance: 5, owner: 1, opened: '2024-05-31T10:00:00.000Z' })
    const iterator = store.changes({ since: 1 })[Symbol.asyncIterator]()
    const first = await iterator.next()
    const values = (first.value?.changes[0]?.after ?? {}) as { readonly [name: string]: unknown }
    expect(first.value).toEqual({
      globalStamp: 2,
      changes: [
        {
          globalStamp: 2,
          dataClass: 'Account',
          key: 1,
          kind: 'insert',
          before: null,
          after: values,
        },
      ],
    })
    expect(values).toMatchObject({ ID: 1, balance: 5, opened: '2024-05-31T10:00:00.000Z' })
    const next = iterator.next()
    await save('Account', { __KEY: '1', balance: 6 })
    expect((await next).value?.changes).toEqual([
      {
        globalStamp: 3,
        dataClass: 'Account',
        key: 1,
        kind: 'update',
        before: { balance: 5 },
        after: { balance: 6 },
      },
    ])
    const log = await run(
      pool,
      `SELECT e.kind, e.record = t._rec, e.stamp, e.timestamp = t._ts, e.replaced::text, e.written::text
        FROM "${schema}".entia_change e JOIN "${schema}"."Account" t ON t."ID"::text = e.key
        WHERE e.class = 'Account' ORDER BY e.stamp`,
    )
    expect(log.rows).toEqual([
      ['insert', true, 1, expect.any(Boolean), null, expect.stringContaining('"balance":5')],
      ['update', true, 2, true, '{"balance":5}', '{"balance":6}'],
    ])
    await remove('Account', 1)
    expect((await iterator.next()).value?.changes[0]).toMatchObject({
      kind: 'remove',
      before: { ...values, balance: 6 },
      after: null,
    })
    await iterator.return?.()
    expect((await take(store.changes({ since: 0 }), 4)).map((each) => each.globalStamp)).toEqual([
      1, 2, 3, 4,
    ])
    await store.close()
  })

  test('end at once by return, while they wait for a commit', async () => {
    const { store } = await openBank(open(), newSchema())
    const iteration = store.changes({ since: 1 })[Symbol.asyncIterator]()
    const waiting = iteration.next()
    const end = { done: true, value: undefined }
    expect(await iteration.return?.()).toEqual(end)
    expect(await waiting).toEqual(end)
  })

  test('refuse a stamp of the future, and commits that are no longer kept', async () => {
    const schema = newSchema()
    const { store, save } = await openBank(open(), schema)
    await save('Owner', { ID: 1 })
    for (const since of [2, -1, 0.5, Number.NaN, '1' as never])
      await expect(take(store.changes({ since }), 1)).rejects.toSatisfy((error: unknown) =>
        isEntiaError(error, 'argumentInvalid'),
      )
    await run(open(), `UPDATE "${schema}".entia_history SET changes_until = 1`)
    await expect(take(store.changes({ since: 0 }), 1)).rejects.toSatisfy((error: unknown) =>
      isEntiaError(error, 'historyTrimmed'),
    )
    await store.close()
  })

  test('end with close, and reject with the reason of their signal', async () => {
    const { store } = await openBank(open(), newSchema())
    const abort = new AbortController()
    const aborted = take(store.changes({ since: 0, signal: abort.signal }), 1)
    const closed = take(store.changes({ since: 0 }), 1)
    abort.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await store.close()
    expect(await closed).toEqual([])
  })
})

describeDatabases(
  'changes of other processes',
  { connections: 'several', on: 'one' },
  (database) => {
    test('no commit is repeated or skipped while several processes write', async () => {
      const schema = database.newSchema()
      const banks = [await openBank(database.open(), schema)]
      banks.push(await openBank(database.open(), schema), await openBank(database.open(), schema))
      const [reader, ...writers] = banks as [(typeof banks)[0], ...typeof banks]
      const commits = 60
      const taken = take(reader.store.changes({ since: 0 }), commits)
      await Promise.all(
        writers.map(async ({ save }, at) => {
          for (let i = 0; i < commits / 2; i++) await save('Owner', { ID: 1 + i * 2 + at })
        }),
      )
      expect((await taken).map(({ globalStamp }) => globalStamp)).toEqual(
        Array.from({ length: commits }, (_, at) => at + 1),
      )
      const keys = (await taken).flatMap(({ changes }) => changes.map(({ key }) => key))
      expect(new Set(keys).size).toBe(commits)
      for (const { store } of banks) await store.close()
    })
  },
)
