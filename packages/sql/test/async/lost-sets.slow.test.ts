import { attribute, defineDataClass } from '@entia/core'
import { beforeAll, expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'

interface Notes {
  insert(values: object): unknown
  query(filter: string): unknown
}
const notesOf = ({ store }: { store: object }): Notes => (store as { readonly Note: Notes }).Note
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})

/** A pool that does not answer after `isAway` said so. */
const breakable = (pool: SqlPool, isAway: (text: string) => boolean): SqlPool => {
  const through: SqlPool = {
    ...pool,
    query: (statement) => through.connect(async ({ send }) => (await send([statement]))[0]!),
    connect: (body) =>
      pool.connect(({ send }) =>
        body({
          async send(statements) {
            for (const { text } of statements)
              if (isAway(text)) throw new DatabaseError('unavailable', null)
            return send(statements)
          },
        }),
      ),
    close: () => pool.close(),
  }
  return through
}

describeDatabases('an entity set that cannot be kept', { on: 'one' }, (database) => {
  let isBroken = false
  const openNotes = () =>
    openSqlStore({
      name: 'notes',
      dataClasses: [Note],
      database: breakable(database.open(), (text) => isBroken && text.includes('entia_set')),
      schema: database.schema,
      functions: {
        add: {
          run(context: { store: object }, text: string) {
            const notes = notesOf(context)
            notes.insert({ text })
            return notes.query(`text = ${text}`)
          },
        },
        find: { run: (context: { store: object }) => notesOf(context).query('ID > 0') },
      },
    } as never)
  let store: Awaited<ReturnType<typeof openNotes>>
  beforeAll(async () => {
    await migrateDatabase({
      name: 'notes',
      dataClasses: [Note],
      database: database.pool,
      schema: database.schema,
    })
    store = await openNotes()
    return () => store.close()
  })
  const call = (name: string, ...args: readonly unknown[]) =>
    (store.call as (name: string, ...args: readonly unknown[]) => Promise<unknown>)(name, ...args)

  test('a function whose writes are stored succeeds, and its set is reported as expired', async () => {
    isBroken = true
    const set = (await call('add', 'a').finally(() => {
      isBroken = false
    })) as { count(): Promise<number> }
    expect(await store.dataClass('Note').query`text = ${'a'}`.count()).toBe(1)
    await expect(set.count()).rejects.toMatchObject({ code: 'entitySetNotFound' })
  })

  test('a function that writes nothing fails', async () => {
    isBroken = true
    const failed = call('find').finally(() => {
      isBroken = false
    })
    await expect(failed).rejects.toMatchObject({ code: 'engineUnavailable' })
  })

  test('a set exists if the database is available', async () => {
    const set = (await call('add', 'b')) as { count(): Promise<number> }
    expect(await set.count()).toBe(1)
  })
})
