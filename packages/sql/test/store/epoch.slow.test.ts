import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run, type TestDatabase } from '../database.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ indexed: true }),
})

async function openProcess(
  { schema, open }: Pick<TestDatabase, 'schema' | 'open'>,
  migrates = false,
) {
  const options = { name: 'notes', dataClasses: [Note], database: open(), schema }
  if (migrates) await migrateDatabase(options)
  const store = await openSqlStore(options)
  // An engine with an observer uses the current id, too.
  const rest = createRestHandler(store, { slow: { milliseconds: 60_000, report: () => {} } })
  return {
    store,
    async ask(path: string, body?: unknown, headers: { readonly [name: string]: string } = {}) {
      const answer = await rest.handle({
        method: body === undefined ? 'GET' : 'POST',
        url: `/rest/${path}`,
        headers: { host: 'localhost', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
      const parsed: any = JSON.parse(String(answer.body))
      return { status: answer.status, body: parsed, etag: answer.headers.etag! }
    },
  }
}

/**
 * Gives a database the state of a standby without the last commit, which inserted the third note.
 */
const LOSE = [
  'DELETE FROM $."Note" WHERE "ID" = 3',
  'UPDATE $.entia_store SET stamp = 2',
  'UPDATE $.entia_class SET changed = 2, members = 2',
  'DELETE FROM $.entia_change WHERE commit_id IN (SELECT id FROM $.entia_commit WHERE stamp = 3)',
  'DELETE FROM $.entia_commit WHERE stamp = 3',
]

describeDatabases('an epoch', {}, (database) => {
  const { pool, schema } = database
  let first: Awaited<ReturnType<typeof openProcess>>
  let second: Awaited<ReturnType<typeof openProcess>>
  beforeAll(async () => {
    first = await openProcess(database, true)
    second = await openProcess(database)
    return async () => {
      await first.store.close()
      await second.store.close()
    }
  })

  test('data of lost commits is not answered again', async () => {
    const processes = [first, second]
    for (const text of ['a', 'a', 'a']) await first.ask('Note', { text })
    const count = async ({ ask }: typeof first) => (await ask('Note?$filter="text=a"')).body.__COUNT
    for (const each of processes) expect(await count(each)).toBe(3)
    const before = await first.ask('Note(1)')
    const changes = first.store.changes({ since: 2 })[Symbol.asyncIterator]()
    // It has begun to follow, and is in the epoch that is lost.
    expect(await changes.next()).toMatchObject({ value: { globalStamp: 3 } })
    const next = changes.next()
    const failed = expect(next).rejects.toMatchObject({ code: 'historyTrimmed' })
    const oldId = first.store.id

    for (const text of LOSE) await run(pool, text.replaceAll('$', `"${schema}"`))
    const raised = await run(pool, `SELECT "${schema}".entia_new_epoch()`)
    expect(raised.rows).toEqual([[1]])
    // Without the epoch it would have the global stamp of the lost one, and the count would be
    // known.
    expect((await second.ask('Note', { text: 'b' })).status).toBe(200)

    for (const each of processes) expect(await count(each)).toBe(2)
    await failed
    const after = await Promise.all(processes.map(({ ask }) => ask('Note(1)')))
    expect(after.map(({ body }) => body)).toEqual([before.body, before.body])
    expect(first.store.id).not.toBe(oldId)
    expect(second.store.id).toBe(first.store.id)
    for (const { etag } of after) expect(etag).not.toBe(before.etag)
    expect((await first.ask('$catalog')).body.__UNIQID).toBe(first.store.id)
    const page = await first.ask('Note')
    expect(page.body.__GlobalStamp).toBe(2 ** 40 + 1)
  })

  test('conditions on entities of the new epoch are met by all processes', async () => {
    const { etag } = await first.ask('Note(2)')
    const change = { __KEY: '2', text: 'changed' }
    const changed = await second.ask('Note', change, { 'if-match': etag })
    expect(changed.status).toBe(200)
    expect((await first.ask('Note', change, { 'if-match': etag })).status).toBe(412)
  })

  test('readers of changes continue in the new epoch', async () => {
    const { __GlobalStamp } = (await first.ask('Note')).body
    const changes = second.store.changes({ since: __GlobalStamp })[Symbol.asyncIterator]()
    const next = changes.next()
    await first.ask('Note', { text: 'c' })
    expect((await next).value).toMatchObject({ globalStamp: __GlobalStamp + 1 })
    await changes.return?.()
  })

  test('each epoch follows the one before', async () => {
    expect((await run(pool, `SELECT "${schema}".entia_new_epoch()`)).rows).toEqual([[2]])
    const { __GlobalStamp } = (await second.ask('Note')).body
    expect(__GlobalStamp).toBe(2 * 2 ** 40)
  })

  test('after a backup of before, the epoch is above the one that the operator names', async () => {
    const id = first.store.id
    await run(pool, `UPDATE "${schema}".entia_store SET epoch = 0, stamp = 2`)
    await run(pool, `DELETE FROM "${schema}".entia_commit`)
    const begin = (former: number) =>
      run(pool, `SELECT "${schema}".entia_new_epoch($1::integer)`, former)
    expect((await begin(2)).rows).toEqual([[3]])
    expect((await second.ask('Note')).body.__GlobalStamp).toBe(3 * 2 ** 40)
    expect(second.store.id).not.toBe(id)
    await expect(begin(8191)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/8192 is above 8191.*before the restore/) },
    })
  })
})

describeDatabases(
  'an epoch that begins while others write',
  { connections: 'several' },
  (database) => {
    test('loses no commit that was acknowledged', async () => {
      const { open } = database
      const place = { schema: database.newSchema(), open }
      const schema = `"${place.schema}"`
      const pool = open()
      const writers = [await openProcess(place, true), await openProcess(place, false)]
      let isOver = false
      let acknowledged = 0
      const writing = writers.map(async ({ ask }) => {
        while (!isOver) {
          const { status } = await ask('Note', { text: 'x' })
          expect([200, 503]).toContain(status)
          if (status === 200) acknowledged++
        }
      })
      const since: number[] = []
      for (let epoch = 1; epoch <= 5; epoch++) {
        await new Promise((resolve) => setTimeout(resolve, 60))
        const raised = await run(pool, `SELECT ${schema}.entia_new_epoch()`)
        expect(raised.rows).toEqual([[epoch]])
        since.push(epoch * 2 ** 40)
      }
      const before = acknowledged
      await expect.poll(() => acknowledged).toBeGreaterThan(before)
      isOver = true
      await Promise.all(writing)
      expect(acknowledged).toBeGreaterThan(before)
      // Changes with stamps of an earlier epoch are deleted.
      const old = await run(
        pool,
        `SELECT c.stamp FROM ${schema}.entia_commit c JOIN ${schema}.entia_change e ON e.commit_id = c.id
        WHERE c.stamp < $1`,
        since.at(-1)!,
      )
      expect(old.rows).toEqual([])
      const { rows } = await run(
        pool,
        `SELECT count(*) FROM ${schema}.entia_commit WHERE stamp > $1`,
        since.at(-1)!,
      )
      const followed: number[] = []
      for await (const { globalStamp } of writers[0]!.store.changes({ since: since.at(-1)! }))
        if (followed.push(globalStamp) === rows[0]![0]) break
      expect(followed).toEqual([...new Set(followed)].sort((a, b) => a - b))
      const { body } = await writers[1]!.ask('Note?$limit=1')
      expect(body.__COUNT).toBe(acknowledged)
      expect(body.__GlobalStamp).toBe(followed.at(-1))
      for (const { store } of writers) await store.close()
    })
  },
)
